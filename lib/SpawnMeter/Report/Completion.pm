# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Completion;

# The completion of a command line, for bash and zsh.
#
#   render(shell, command) -> script.  A command is { name, verbs => { verb, or an empty text
#       for none => { options => [ { names, value => true where a value follows, about =>
#       text } ], words => [what can follow besides files], files => true where files can } },
#       about => { verb => text }, values => { name of an option => [values], or a word: file
#       or folder } }

use strict;
use warnings;

my %RENDER = (bash => \&bash, zsh => \&zsh);

sub render { my ($shell, $command) = @_; return $RENDER{$shell}->($command) }

sub verbs {
    my ($command) = @_;
    return grep { length($_) } sort keys %{ $command->{verbs} };
}

sub words { return join q{ }, @_ }

sub names {
    my ($of) = @_;
    return map { @{ $_->{names} } } @{ $of->{options} };
}

# The options that a value follows, as { what completes it => [names] }
sub with_value {
    my ($command) = @_;
    my (%names, %seen);
    for my $option (map { @{ $_->{options} } } values %{ $command->{verbs} }) {
        next if !$option->{value} || $seen{ $option->{name} }++;
        my $values = $command->{values}{ $option->{name} };
        my $kind = ref $values ? words(@{$values}) : defined $values ? $values : q{};
        push @{ $names{$kind} }, @{ $option->{names} };
    }
    return \%names;
}

# ---- bash ---------------------------------------------------------------------------

sub bash {
    my ($command) = @_;
    my $name = $command->{name};
    my $value = with_value($command);
    my $cases = join q{}, map { bash_case($name, $_, @{ $value->{$_} }) } sort keys %{$value};
    my $verbs = join q{}, map { bash_verb($_, $command->{verbs}{$_}) } verbs($command);
    my $rest = bash_verb(q{*}, $command->{verbs}{q{}}, verbs($command));
    my $all = join q{|}, verbs($command);
    return <<"END";
# Completion of $name for bash; made from the table of its options
_${name}_reply()
{
	local line
	COMPREPLY=()
	while IFS= read -r line; do COMPREPLY+=("\$line"); done
}
_$name()
{
	local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
	local verb='' options='' words='' files='' i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case \${COMP_WORDS[i]} in
		$all) verb=\${COMP_WORDS[i]}; break ;;
		esac
	done
	case \$before in
$cases	esac
	case \$verb in
$verbs$rest	esac
	if [[ \$word == -* ]]; then
		_${name}_reply < <(compgen -W "\$options" -- "\$word")
	else
		_${name}_reply < <(
			compgen -W "\$words" -- "\$word"
			[[ \$files ]] && compgen -f -- "\$word"
		)
	fi
}
complete -o filenames -F _$name $name
END
}

my %BASH_VALUE = (
    file   => 'compgen -f -- "$word"',
    folder => 'compgen -d -- "$word"',
);

sub bash_case {
    my ($name, $kind, @names) = @_;
    my $pattern = join q{|}, sort @names;
    return "\t$pattern) return ;;\n" if !length $kind;
    my $values = $BASH_VALUE{$kind} || qq{compgen -W "$kind" -- "\$word"};
    return "\t$pattern) _${name}_reply < <($values); return ;;\n";
}

sub bash_verb {
    my ($verb, $of, @more) = @_;
    my $files = $of->{files} ? ' files=1' : q{};
    my ($options, $words) = (words(names($of)), words(@more, @{ $of->{words} }));
    return "\t$verb)\n\t\toptions='$options'\n\t\twords='$words'$files ;;\n";
}

# ---- zsh ----------------------------------------------------------------------------

sub zsh {
    my ($command) = @_;
    my $name = $command->{name};
    my $verbs = join q{}, map { zsh_verb($command, $_) } verbs($command);
    my $rest = zsh_verb($command, q{});
    my $list = join q{},
        map { "\t\t" . zsh_quoted("$_:" . ($command->{about}{$_} || $_)) . "\n" } verbs($command);
    my $all = join q{|}, verbs($command);
    return <<"END";
#compdef $name
# Completion of $name for zsh; made from the table of its options
local verb word
for word in \${words[2,CURRENT-1]}; do
	case \$word in
	$all) verb=\$word; break ;;
	esac
done
case \$verb in
$verbs\*)
	local -a verbs
	verbs=(
$list	)
	(( CURRENT == 2 )) && _describe -t commands command verbs
${\($rest =~ s/^\)\n//r)}esac
END
}

sub zsh_verb {
    my ($command, $verb) = @_;
    my $of = $command->{verbs}{$verb};
    my @lines = map { zsh_option($command, $_) } @{ $of->{options} };
    my @words = @{ $of->{words} };
    my @kinds = @words ? 'words:word:(' . words(@words) . ')' : ();
    push @kinds, 'files:file:_files' if $of->{files};
    my $what =
          @kinds > 1 ? '*: :_alternative ' . join q{ }, map { zsh_quoted($_) } @kinds
        : @kinds     ? '*:word:' . ($kinds[0] =~ s/\A\w+:\w+://r)
        :              undef;
    push @lines, zsh_quoted($what) if defined $what;
    return "$verb)\n\t_arguments -s -S \\\n\t\t" . join(" \\\n\t\t", @lines) . " ;;\n";
}

sub zsh_option {
    my ($command, $option) = @_;
    my $about = $option->{about} || $option->{name};
    $about =~ s/([\[\]:])/\\$1/g;
    my $values = $command->{values}{ $option->{name} };
    my $action =
          !$option->{value}            ? q{}
        : ref $values                  ? ':value:(' . words(@{$values}) . ')'
        : ($values || q{}) eq 'file'   ? ':file:_files'
        : ($values || q{}) eq 'folder' ? ':folder:_files -/'
        :                                ':value: ';
    return map { zsh_quoted("*${_}[$about]$action") } @{ $option->{names} };
}

sub zsh_quoted {
    my ($text) = @_;
    return q{'} . ($text =~ s/'/'\\''/gr) . q{'};
}

1;
