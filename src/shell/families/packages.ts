import type { CommandSpec } from '../programs/command-spec.js'

/**
 * Returns the tables of package managers: queries for installed packages. Excluded are queries to a registry, programs that
 * run or fetch another version of themselves if a project asks for it (yarn, pnpm, bundle), programs that write a log (npm ls)
 * or caches (apt), and rpm, which may write its database.
 */
export const createPackageSpecs = (): readonly CommandSpec[] => [
  {
    names: 'npm',
    manual: 'npm(1)',
    options: {
      flags: '-v --version',
      // These options are listed because npm would not read them as abbreviations of the options in `runs`.
      refused: '--global --user --git-tag-version',
      runs: '--script-shell --shell --node-options --userconfig --globalconfig --init-module --git --editor --viewer',
    },
    requires: ['-v --version'],
    examples: ['npm --version', 'npm -v'],
  },
  {
    names: 'pip pip3',
    manual: 'pip(1)',
    options: { flags: '-V --version --no-color --disable-pip-version-check', runs: '--python' },
    subcommands: {
      '': {},
      // Without the required option, pip asks the package index for its newest version.
      list: {
        options: {
          flags: '-l --local --user --not-required -q --disable-pip-version-check',
          values: '--format --exclude',
        },
        requires: ['--disable-pip-version-check'],
      },
      show: { options: { flags: '-f --files -q' }, operands: ['text...'] },
      check: {},
    },
    examples: ['pip list --disable-pip-version-check', 'pip show requests', 'pip --version'],
  },
  {
    names: 'dpkg',
    manual: 'dpkg(1)',
    isObserved: true,
    options: {
      flags:
        '-l --list -s --status -L --listfiles -S --search -p --print-avail --get-selections --print-architecture ' +
        '--print-foreign-architectures -C --audit -V --verify --no-pager --compare-versions -c --contents',
    },
    requires: [
      '-l --list -s --status -L --listfiles -S --search -p --print-avail --get-selections --print-architecture ' +
        '--print-foreign-architectures -C --audit -V --verify --compare-versions -c --contents',
    ],
    operands: ['text...'],
    operandCases: [{ options: '-c --contents', operands: ['reads...'] }],
    examples: ['dpkg -l', 'dpkg -s bash', 'dpkg -L bash', 'dpkg -S /bin/bash', 'dpkg --print-architecture'],
  },
  {
    names: 'dpkg-query',
    manual: 'dpkg-query(1)',
    isObserved: true,
    options: {
      flags: '-l --list -s --status -L --listfiles -S --search -W --show -p --print-avail --no-pager',
      values: '-f --showformat',
    },
    operands: ['text...'],
    examples: ['dpkg-query -W bash', 'dpkg-query -l'],
  },
  {
    // As root, apt-cache writes the caches of package lists where it may, which the sandbox prevents.
    names: 'apt-cache',
    manual: 'apt-cache(8)',
    subcommands: {
      policy: { operands: ['text...'] },
      search: { options: { flags: '-n --names-only -f --full' }, operands: ['text...'] },
      show: { options: { flags: '-a --all-versions --no-all-versions' }, operands: ['text...'] },
      depends: { options: { flags: '-i --important --installed --recurse' }, operands: ['text...'] },
    },
    examples: ['apt-cache policy bash', 'apt-cache search editor'],
  },
  {
    names: 'pacman',
    manual: 'pacman(8)',
    options: { flags: '-Q --query -e -d -t -i -l -q -o -k --explicit --deps --unrequired --info --list --quiet' },
    requires: ['-Q --query'],
    operands: ['text...'],
    examples: ['pacman -Q', 'pacman -Qe', 'pacman -Qi bash'],
  },
]
