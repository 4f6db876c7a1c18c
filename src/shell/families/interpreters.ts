import type { CommandSpec, CommandUsage } from '../programs/command-spec.js'

/** Returns the usage of a program that prints its version and exits with these options. Any other argument runs a program. */
function versionOnly(
  options: string,
  examples: readonly string[],
  { runs = '', ...more }: CommandUsage & { readonly runs?: string } = {},
): CommandUsage & Pick<CommandSpec, 'examples'> {
  // What follows a script are options of the script.
  return { style: 'posix', ...more, options: { flags: options, runs }, requires: [options], examples }
}

/**
 * Interpreters and compilers: only their version and help output. Excluded are programs that a file of the project can replace
 * with another program: cargo, rustc, go, dotnet and yarn.
 */
export const interpreters: readonly CommandSpec[] = [
  {
    names: 'python python2 python3',
    manual: 'python3(1)',
    isObserved: true,
    ...versionOnly('-V --version -h --help', ['python3 --version', 'python3 -V', 'python3 -VV'], { runs: '-c' }),
  },
  {
    names: 'node nodejs',
    manual: 'node(1)',
    ...versionOnly('-v --version -h --help --v8-options', ['node -v', 'node --version'], {
      runs: '-e --eval -p --print',
    }),
  },
  { names: 'deno bun', manual: 'deno(1)', ...versionOnly('-V -v --version', ['deno --version', 'bun -v']) },
  { names: 'perl', manual: 'perl(1)', isObserved: true, ...versionOnly('-v', ['perl -v'], { runs: '-e -E' }) },
  { names: 'ruby', manual: 'ruby(1)', ...versionOnly('-v --version --copyright', ['ruby --version'], { runs: '-e' }) },
  { names: 'php', manual: 'php(1)', ...versionOnly('-v --version -m --modules --ini', ['php -v'], { runs: '-r' }) },
  { names: 'lua lua5.1 lua5.3 lua5.4 luajit', manual: 'lua(1)', ...versionOnly('-v', ['lua -v'], { runs: '-e' }) },
  {
    names: 'java javac',
    manual: 'java(1)',
    ...versionOnly('-version --version', ['java -version'], { style: 'single-dash' }),
  },
  {
    names: 'gcc g++ cc c++ clang clang++',
    manual: 'gcc(1)',
    ...versionOnly('--version -dumpversion -dumpmachine -v', ['gcc --version', 'gcc -dumpmachine'], {
      style: 'single-dash',
    }),
  },
  { names: 'ld gold strip ranlib', manual: 'ld(1)', ...versionOnly('--version -V', ['ld --version']) },
  { names: 'as', manual: 'as(1)', ...versionOnly('--version', ['as --version']) },
  { names: 'make gmake', manual: 'make(1)', ...versionOnly('-v --version -h --help', ['make --version']) },
  { names: 'cmake ctest ninja meson', manual: 'cmake(1)', ...versionOnly('--version', ['cmake --version']) },
  {
    names: 'ghc ocaml R julia',
    manual: 'ghc(1)',
    ...versionOnly('--version', ['ghc --version']),
  },
  { names: 'lldb', manual: 'lldb(1)', ...versionOnly('--version', ['lldb --version']) },
  {
    names: 'sqlite3',
    manual: 'sqlite3(1)',
    ...versionOnly('--version -version', ['sqlite3 --version'], { style: 'single-dash' }),
  },
  { names: 'cpp', manual: 'cpp(1)', ...versionOnly('--version', ['cpp --version']) },
  { names: 'psql mysql', manual: 'psql(1)', ...versionOnly('--version', ['psql --version']) },
  { names: 'vim vi nano emacs', manual: 'vim(1)', ...versionOnly('--version', ['vim --version']) },
]
