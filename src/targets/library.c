/*
 * library.c - a small shared object with code, constant and writable data, and
 * a relocation: what a library brings into a process, without doing anything.
 */
static int counter = 1;
int *spawnbench_library_counter = &counter;

int spawnbench_library(int number)
{
	return number + *spawnbench_library_counter;
}
