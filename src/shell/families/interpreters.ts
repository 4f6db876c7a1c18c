import type { CommandSpec, CommandUsage } from '../programs/command-spec.js'

/**
 * Returns the usage of a program that, with one of these options, only prints its version or help. With other arguments it may
 * run a program.
 */
function createVersionUsage(
  options: string,
  examples: readonly string[],
  { runs = '', targets = '', ...more }: CommandUsage & { readonly runs?: string; readonly targets?: string } = {},
): CommandUsage & Pick<CommandSpec, 'examples'> {
  // With style `posix`, words after a script are its arguments, not options of the interpreter.
  return { style: 'posix', ...more, options: { flags: options, targets, runs }, requires: [options], examples }
}

/**
 * Returns the tables of interpreters and compilers: only their version and help output. Excluded are programs that a file of
 * the project can replace with another program: cargo, rustc, go, dotnet and yarn.
 */
export const createInterpreterSpecs = (): readonly CommandSpec[] => [
  {
    names: 'python python2 python3',
    manual: 'python3(1)',
    isObserved: true,
    ...createVersionUsage('-V --version -h --help', ['python3 --version', 'python3 -V', 'python3 -VV'], { runs: '-c' }),
  },
  {
    names: 'node nodejs',
    manual: 'node(1)',
    ...createVersionUsage('-v --version -h --help --v8-options', ['node -v', 'node --version'], {
      runs: '-e --eval -p --print',
    }),
  },
  { names: 'deno bun', manual: 'deno(1)', ...createVersionUsage('-V -v --version', ['deno --version', 'bun -v']) },
  { names: 'perl', manual: 'perl(1)', isObserved: true, ...createVersionUsage('-v', ['perl -v'], { runs: '-e -E' }) },
  {
    names: 'ruby',
    manual: 'ruby(1)',
    ...createVersionUsage('-v --version --copyright', ['ruby --version'], { runs: '-e' }),
  },
  {
    names: 'php',
    manual: 'php(1)',
    ...createVersionUsage('-v --version -m --modules --ini', ['php -v'], { runs: '-r' }),
  },
  {
    names: 'lua lua5.1 lua5.3 lua5.4 luajit',
    manual: 'lua(1)',
    ...createVersionUsage('-v', ['lua -v'], { runs: '-e' }),
  },
  {
    names: 'java javac',
    manual: 'java(1)',
    ...createVersionUsage('-version --version', ['java -version'], { style: 'single-dash' }),
  },
  {
    names: 'gcc g++ cc c++ clang clang++',
    manual: 'gcc(1)',
    ...createVersionUsage('--version -dumpversion -dumpmachine -v', ['gcc --version', 'gcc -dumpmachine'], {
      style: 'single-dash',
      expandsArgumentFiles: true,
      targets: '-o -MF -dumpdir -aux-info',
      runs: '-wrapper -B -specs --specs -fplugin -load',
      // Together, these options also run the compiler on an empty file.
      exclusivePairs: [['-v', '--version -dumpversion -dumpmachine']],
    }),
  },
  {
    names: 'ld gold strip ranlib',
    manual: 'ld(1)',
    ...createVersionUsage('--version -V', ['ld --version'], {
      expandsArgumentFiles: true,
      targets: '-o --output -Map',
      runs: '-plugin --plugin',
    }),
  },
  {
    names: 'as',
    manual: 'as(1)',
    ...createVersionUsage('--version', ['as --version'], { expandsArgumentFiles: true, targets: '-o' }),
  },
  {
    names: 'make gmake',
    manual: 'make(1)',
    ...createVersionUsage('-v --version -h --help', ['make --version'], { style: 'gnu', runs: '--eval -E' }),
    programVariables:
      'SHELL .SHELLFLAGS MAKEFILES MAKEFLAGS GNUMAKEFLAGS MAKE CC CXX CPP LD AR AS FC LEX YACC RM INSTALL PYTHON NODE',
  },
  { names: 'cmake ctest ninja meson', manual: 'cmake(1)', ...createVersionUsage('--version', ['cmake --version']) },
  {
    names: 'ghc ocaml R julia',
    manual: 'ghc(1)',
    ...createVersionUsage('--version', ['ghc --version']),
  },
  { names: 'lldb', manual: 'lldb(1)', ...createVersionUsage('--version', ['lldb --version']) },
  {
    names: 'sqlite3',
    manual: 'sqlite3(1)',
    ...createVersionUsage('--version -version', ['sqlite3 --version'], { style: 'single-dash' }),
  },
  { names: 'cpp', manual: 'cpp(1)', ...createVersionUsage('--version', ['cpp --version']) },
  { names: 'psql mysql', manual: 'psql(1)', ...createVersionUsage('--version', ['psql --version']) },
  { names: 'vim vi nano emacs', manual: 'vim(1)', ...createVersionUsage('--version', ['vim --version']) },
]
