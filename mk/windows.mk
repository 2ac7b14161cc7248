# SPDX-License-Identifier: GPL-2.0-or-later
# The programs for Windows.

# WINDOWS_TARGET=i686-w64-mingw32 for 32 bits
WINDOWS_TARGET ?= x86_64-w64-mingw32
WINDOWS_FOLDER = $(WORK)/windows/$(WINDOWS_TARGET)
WINDOWS_C = $(WINDOWS_TARGET)-gcc $(WARN) $(WINDOWS_FLAGS) -O2 -static -s -Isrc \
            -D_WIN32_WINNT=0x0600 -D__USE_MINGW_ANSI_STDIO=1 -DPSAPI_VERSION=1 \
            -DSPAWNMETER_VERSION='"$(VERSION)"' -o $@ $(filter %.c,$^)
WINDOWS_EXE = $(patsubst %,$(WINDOWS_FOLDER)/%.exe,createprocess thread true-minimal true-runtime)
.PHONY: windows windows-compiler
## windows: the programs for Windows, into build/windows (needs gcc-mingw-w64)
windows: $(WINDOWS_EXE)
windows-compiler:
	$(Q)command -v $(WINDOWS_TARGET)-gcc >/dev/null || { echo "make windows needs $(WINDOWS_TARGET)-gcc: apt-get install gcc-mingw-w64 (Debian, Ubuntu)" >&2; exit 2; }
$(WINDOWS_EXE): | windows-compiler
$(WINDOWS_EXE): src/windows/windows.h src/harness/histogram.h src/harness/util.h VERSION $(filter-out $(WORK)/%,$(MAKEFILE_LIST))
$(WINDOWS_FOLDER)/createprocess.exe $(WINDOWS_FOLDER)/thread.exe: $(WINDOWS_FOLDER)/%.exe: src/windows/%.c src/windows/harness.c src/harness/histogram.c
	$(Q)mkdir -p $(@D); $(WINDOWS_C) -lpsapi
$(WINDOWS_FOLDER)/true-runtime.exe: src/windows/targets/true-runtime.c
	$(Q)mkdir -p $(@D); $(WINDOWS_C)
# i686 puts a _ before the names of C
$(WINDOWS_FOLDER)/true-minimal.exe: src/windows/targets/true-minimal.c
	$(Q)mkdir -p $(@D); $(WINDOWS_C) -nostdlib -Wl,-e,$(if $(filter i686%,$(WINDOWS_TARGET)),_)start -lkernel32
