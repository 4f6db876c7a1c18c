import type { CommandSpec } from '../programs/command-spec.js'

import { createInspectionSpecs } from './inspection.js'
import { createMachineSpecs } from './machine.js'
import { createProcessSpecs } from './processes.js'

/** Returns the tables of programs about the machine, processes, services, scheduled jobs, logs and manual pages. */
export const createSystemSpecs = (): readonly CommandSpec[] => [
  ...createProcessSpecs(),
  ...createMachineSpecs(),
  ...createInspectionSpecs(),
  {
    names: 'man',
    manual: 'man(1)',
    options: {
      flags:
        '-f --whatis -k --apropos -w --where --path --location -W -a --all -i -I --match-case --no-subpages --names-only',
      roles: { name: '-s -S --sections -L --locale -e --extension -E --encoding' },
      // `-m` selects another folder with manual pages.
      refused:
        '-m --systems -T --troff-device -X --gxditview -l --local-file -C --config-file -M --manpath -R -r -t -p -K -u -D -d -Z',
      runs: '-P --pager -H --html',
    },
    // Excluded: showing a page, because man then writes its cache where it may.
    requires: ['-f --whatis -k --apropos -w --where --path --location -W'],
    // A name with a slash would be a file to format, and the formatter runs commands that the file contains.
    operands: ['name...'],
    examples: ['man -k printf', 'man -f ls', 'man -w ls'],
  },
  {
    names: 'apropos whatis',
    manual: 'apropos(1)',
    options: {
      flags: '-a -e -r -w -l -v --and --exact --regex --wildcard --long',
      roles: { name: '-s -S --sections -L --locale' },
    },
    operands: ['name...'],
    examples: ['apropos -s 3 .', 'whatis ls'],
  },
  {
    names: 'manpath',
    manual: 'manpath(1)',
    options: { flags: '-g -q --global --quiet' },
    // Without this option, manpath prints the settings in ~/.manpath.
    requires: ['-g --global'],
    examples: ['manpath -g'],
  },
  {
    names: 'crontab',
    manual: 'crontab(1)',
    options: { flags: '-l', values: '-u' },
    requires: ['-l'],
    changesOtherwise: '/var/spool/cron/crontabs',
    examples: ['crontab -l'],
  },
  { names: 'atq', manual: 'atq(1)', options: { flags: '-V', values: '-q' }, examples: ['atq'] },
  {
    names: 'systemctl',
    manual: 'systemctl(1)',
    options: {
      flags: '-a --all --user --system --no-pager --no-legend -l --full -q --quiet --failed --plain',
      values: '-t --type -p --property --state -n --lines -o --output',
    },
    subcommands: Object.fromEntries(
      [
        '',
        'status',
        'is-active',
        'is-enabled',
        'is-failed',
        'show',
        'cat',
        'list-units',
        'list-unit-files',
        'list-timers',
        'list-sockets',
        'list-dependencies',
        'get-default',
        'is-system-running',
      ].map((name) => [
        name,
        {
          options: {
            flags: '-a --all --user --no-pager --no-legend -l --full -q --quiet --failed --plain',
            values: '-t --type -p --property --state -n --lines -o --output',
          },
          operands: ['text...'],
        } as const,
      ]),
    ),
    examples: ['systemctl status ssh', 'systemctl list-units --type=service'],
  },
  {
    names: 'journalctl',
    manual: 'journalctl(1)',
    options: {
      flags:
        '-a --all -e --pager-end -x --catalog -k --dmesg -q --quiet -r --reverse --no-pager --no-hostname --no-full --utc --list-boots --disk-usage --user --system -m --merge -N --fields --header --verify',
      values:
        '-o --output -p --priority -t --identifier -u --unit --user-unit -S --since -U --until -g --grep -F --field',
      // The value of `-n` is optional, so a separate next word may be an option.
      attached: '-n --lines -b --boot',
    },
    operands: ['text...'],
    examples: ['journalctl -u ssh -n 20 --no-pager', 'journalctl --list-boots'],
  },
]
