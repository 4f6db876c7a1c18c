import type { CommandSpec } from '../programs/command-spec.js'

const COLUMN_OPTIONS = '-J --json -n --noheadings -r --raw -P --pairs -b --bytes -l --list -u --notruncate --output-all'

/** Returns the tables of programs that print information about the machine, its devices and its users. */
export const createMachineSpecs = (): readonly CommandSpec[] => [
  {
    names: 'lscpu',
    manual: 'lscpu(1)',
    isObserved: true,
    options: {
      flags: '-a -b -c -J -x -y -B --all --online --offline --json --hex --physical --bytes --output-all --raw',
      attached: '-e -p -C --extended --parse --caches',
    },
    examples: ['lscpu', 'lscpu -e'],
  },
  {
    names: 'lsmem',
    manual: 'lsmem(1)',
    isObserved: true,
    options: { flags: `${COLUMN_OPTIONS} -a --all`, values: '-o --output -S --split', attached: '--summary' },
    examples: ['lsmem'],
  },
  {
    names: 'lsblk',
    manual: 'lsblk(8)',
    isObserved: true,
    options: {
      flags:
        '-a -b -d -D -f -i -J -l -m -n -p -P -r -s -S -t -z -O -A --all --bytes --nodeps --discard --fs --ascii --json --list --perms --noheadings --paths --pairs --raw --inverse --scsi --topology --zoned --output-all --noempty',
      values: '-o --output -I --include -e --exclude -x --sort -w --width',
      attached: '-T --tree',
    },
    operands: ['text...'],
    examples: ['lsblk', 'lsblk -f'],
  },
  {
    names: 'lspci lsusb',
    manual: 'lspci(8)',
    options: { flags: '-v -k -n -t -m -b' },
    examples: ['lspci -v', 'lsusb -t'],
  },
  { names: 'lsmod', manual: 'lsmod(8)', isObserved: true, options: {}, examples: ['lsmod'] },
  {
    names: 'modinfo',
    manual: 'modinfo(8)',
    options: { flags: '-a -d -l -p -n -0', roles: { name: '-F -k' } },
    // A name that ends in `.ko` may be a file.
    operands: ['reads...'],
    examples: ['modinfo ext4'],
  },
  {
    names: 'lsns',
    manual: 'lsns(8)',
    isObserved: true,
    options: {
      flags: `${COLUMN_OPTIONS} -W --nowrap --persistent -V`,
      values: '-o --output -p --task -t --type',
      attached: '-T --tree',
    },
    operands: ['number'],
    examples: ['lsns', 'lsns --json'],
  },
  {
    names: 'lsfd',
    manual: 'lsfd(1)',
    isObserved: true,
    options: {
      flags: `${COLUMN_OPTIONS} --threads -V`,
      values: '-o --output -p --pid -Q --filter -C --counter',
      attached: '-i --inet --summary',
    },
    examples: ["lsfd --filter 'PID == 1'"],
  },
  {
    names: 'lslocks',
    manual: 'lslocks(8)',
    isObserved: true,
    options: { flags: `${COLUMN_OPTIONS} -i --noinaccessible`, values: '-o --output -p --pid' },
    examples: ['lslocks -J'],
  },
  {
    names: 'lsipc',
    manual: 'lsipc(1)',
    isObserved: true,
    options: {
      flags: `${COLUMN_OPTIONS} -c --creator -e --export -g --global -l -m --shmems -M -p --numeric-perms -q --queues -s --semaphores -t --time -z --newline`,
      values: '-i --id -o --output --time-format',
    },
    examples: ['lsipc', 'lsipc --notruncate'],
  },
  {
    names: 'ipcs',
    manual: 'ipcs(1)',
    isObserved: true,
    options: {
      flags:
        '-a -q -m -s -c -l -p -t -u -b --all --queues --shmems --semaphores --creator --limits --pid --time --summary --human --bytes',
      values: '-i --id',
    },
    examples: ['ipcs -a', 'ipcs -l --bytes'],
  },
  {
    names: 'findmnt',
    manual: 'findmnt(8)',
    isObserved: true,
    options: {
      flags: `${COLUMN_OPTIONS} -A --all -a --ascii -c --canonicalize -D --df -e --evaluate -f --first-only -i --invert -k --kernel -m --mtab -s --fstab -R --submounts -U --uniq -v --nofsroot --real --pseudo --shadowed -x --verify`,
      values: '-d --direction -N --task -O --options -o --output -S --source -T --target -t --types -M --mountpoint',
    },
    operands: ['text', 'text'],
    examples: ['findmnt', 'findmnt -T .'],
  },
  {
    names: 'mount',
    manual: 'mount(8)',
    isObserved: true,
    options: { flags: '-l --show-labels -V', values: '-t --types' },
    examples: ['mount', 'mount -l', 'mount -t proc'],
  },
  {
    names: 'mountpoint',
    manual: 'mountpoint(1)',
    isObserved: true,
    options: { flags: '-q --quiet -d --fs-devno -x --devno --nofollow' },
    operands: ['reads'],
    examples: ['mountpoint /'],
  },
  { names: 'blkid', manual: 'blkid(8)', options: { flags: '-k -V' }, requires: ['-k -V'], examples: ['blkid -k'] },
  {
    names: 'swapon',
    manual: 'swapon(8)',
    isObserved: true,
    options: { flags: '-s --summary --noheadings --raw --bytes', attached: '--show' },
    examples: ['swapon', 'swapon --show'],
  },
  {
    names: 'dmesg',
    manual: 'dmesg(1)',
    isObserved: true,
    options: {
      flags:
        '-d -e -J -k -P -r -S -T -t -u -x --show-delta --reltime --json --kernel --nopager --raw --ctime --notime --userspace --decode',
      values: '-f -l -s --facility --level --buffer-size --since --until --time-format',
      attached: '-L --color',
    },
    examples: ['dmesg --level=err'],
  },
  {
    names: 'sysctl',
    manual: 'sysctl(8)',
    isObserved: true,
    options: { flags: '-a --all -n --values -e --ignore -N --names', values: '-r --pattern' },
    operands: ['parameter...'],
    examples: ['sysctl -a', 'sysctl -an', 'sysctl kernel.ostype', 'sysctl -n kernel.ostype'],
  },
  {
    names: 'getconf',
    manual: 'getconf(1)',
    isObserved: true,
    options: { flags: '-a' },
    operands: ['text', 'reads'],
    examples: ['getconf PAGE_SIZE', 'getconf -a'],
  },
  {
    names: 'locale',
    manual: 'locale(1)',
    isObserved: true,
    options: { flags: '-a -m -c -k -v --all-locales --charmaps --category-name --keyword-name --verbose' },
    operands: ['text...'],
    examples: ['locale', 'locale -a'],
  },
  {
    names: 'localectl timedatectl hostnamectl loginctl',
    manual: 'timedatectl(1)',
    options: { flags: '--no-pager' },
    subcommands: { '': {}, status: {} },
    examples: ['timedatectl', 'hostnamectl status'],
  },
  {
    names: 'last lastb',
    manual: 'last(1)',
    isObserved: true,
    options: {
      flags: '-# -a -F -i -R -w -x --hostlast --fulltimes --ip --nohostname --fullnames --system',
      values: '-n -p -s -t --limit --present --since --until --time-format',
      roles: { reads: '-f --file' },
    },
    operands: ['text...'],
    examples: ['last', 'last -n 5'],
  },
  {
    names: 'lastlog',
    manual: 'lastlog(8)',
    isObserved: true,
    options: { values: '-b -t -u --before --time --user' },
    examples: ['lastlog -u root'],
  },
  {
    names: 'getent',
    manual: 'getent(1)',
    isObserved: true,
    // `-s` selects a service by name, which loads the library of that name.
    options: { flags: '-i --no-idn', refused: '-s --service' },
    subcommands: Object.fromEntries(
      ['passwd', 'group', 'services', 'protocols', 'rpc', 'initgroups'].map((name) => [
        name,
        { operands: ['text...'] } as const,
      ]),
    ),
    examples: ['getent services', 'getent passwd root'],
  },
  {
    names: 'systemd-detect-virt',
    manual: 'systemd-detect-virt(1)',
    options: { flags: '-c -v -q -r --container --vm --quiet --list' },
    examples: ['systemd-detect-virt'],
  },
  {
    names: 'zdump',
    manual: 'zdump(8)',
    isObserved: true,
    options: { flags: '-v -V -i', values: '-c -t' },
    operands: ['parameter...'],
    examples: ['zdump UTC'],
  },
  {
    names: 'clear',
    manual: 'clear(1)',
    isObserved: true,
    options: { flags: '-x -V', roles: { terminal: '-T' } },
    examples: ['clear -V'],
  },
]
