import type { CommandSpec } from '../programs/command-spec.js'

/** Returns the tables of programs that print information about processes, memory, load and open files. */
export const createProcessSpecs = (): readonly CommandSpec[] => [
  {
    names: 'ps',
    manual: 'ps(1)',
    isObserved: true,
    options: {
      flags:
        '-A -a -d -e -N -x -f -F -j -l -c -H -L -M -w -Z --deselect --forest --headers --no-headers --context ' +
        '--cumulative --help --info',
      values:
        '--Group --group --pid --ppid --quick-pid --sid --tty --user --User --sort --cols --columns --lines --rows --width',
      roles: { processes: '-C -p -q -G -g -s -t -U -u', columns: '-O -o --format' },
    },
    // If options are invalid or contradict each other, `ps` reads all words in another style, where `e` shows environments.
    // For this reason `-T`, `-m`, `-r`, `-y` and `-h` are excluded.
    exclusivePairs: [
      ['-e', '-x -p -q -G -g -s -t -U -u'],
      ['-L', '-H --forest'],
    ],
    operands: ['processes...'],
    examples: ['ps', 'ps aux', 'ps -ef', 'ps -eo pid,comm --sort=-pid', 'ps -p 1 -o args='],
  },
  {
    names: 'pgrep',
    manual: 'pgrep(1)',
    isObserved: true,
    options: {
      flags:
        '-a --list-full -l --list-name -c --count -f --full -i --ignore-case -n --newest -o --oldest -v --inverse -w --lightweight -x --exact -A --ignore-ancestors',
      values:
        '-d --delimiter -g --pgroup -G --group -P --parent -s --session -t --terminal -u --euid -U --uid -r --runstates',
    },
    operands: ['text'],
    examples: ['pgrep -fl node', 'pgrep -u root'],
  },
  {
    names: 'pidof',
    manual: 'pidof(8)',
    isObserved: true,
    // Some versions of pidof write an unknown option, such as `--help`, to the system log.
    hasObservedHelp: false,
    options: { flags: '-s -c -q -x', roles: { number: '-o' } },
    operands: ['text...'],
    examples: ['pidof bash'],
  },
  {
    names: 'pstree pstree.x11',
    manual: 'pstree(1)',
    isObserved: true,
    options: {
      flags:
        '-a -A -c -g -G -h -l -n -p -s -S -t -T -u -U -Z -V --arguments --ascii --show-pids --show-parents --numeric-sort --long --unicode --uid-changes',
      values: '-C -H -N',
    },
    operands: ['text...'],
    examples: ['pstree', 'pstree -A -p', 'pstree -A -s 1'],
  },
  {
    names: 'pmap pwdx',
    manual: 'pmap(1)',
    isObserved: true,
    options: { flags: '-x -X -d -q -p --extended --device --quiet --show-path' },
    operands: ['number...'],
    examples: ['pmap 1', 'pwdx 1'],
  },
  {
    names: 'uptime',
    manual: 'uptime(1)',
    isObserved: true,
    options: { flags: '-p -s --pretty --since -V' },
    examples: ['uptime', 'uptime -p'],
  },
  {
    names: 'free',
    manual: 'free(1)',
    isObserved: true,
    options: {
      flags:
        '-b -k -m -g -h -l -t -v -w --bytes --kibi --mebi --gibi --human --lohi --total --wide --si --kilo --mega --giga -L --line --committed',
      values: '-s --seconds -c --count',
    },
    examples: ['free -h', 'free -m -t', 'free -h -s 1 -c 1'],
  },
  {
    names: 'vmstat',
    manual: 'vmstat(8)',
    isObserved: true,
    options: {
      flags:
        '-a -f -m -n -s -d -D -w -t --active --forks --slabs --one-header --stats --disk --disk-sum --wide --timestamp -y',
      values: '-S -p --unit --partition',
    },
    operands: ['number', 'number'],
    examples: ['vmstat', 'vmstat -s'],
  },
  {
    names: 'tload slabtop',
    manual: 'slabtop(1)',
    options: { flags: '-o --once' },
    requires: ['-o --once'],
    examples: ['slabtop -o'],
  },
  {
    names: 'lsof',
    manual: 'lsof(8)',
    isObserved: true,
    // Without `-n`, lsof looks up host names.
    options: {
      flags: '-n -P -a -l -t -U -v -h -N -R -w -b -O -V -X',
      attached: '-s -F -g',
      attachedRoles: { local: '-i' },
      values: '-p -u -c -d',
    },
    requires: ['-n -v -h'],
    operands: ['local...'],
    examples: ['lsof -v', 'lsof -nP -i :3000', 'lsof -n README.md'],
  },
  {
    names: 'fuser',
    manual: 'fuser(1)',
    isObserved: true,
    options: {
      flags: '-a -v -m -u -c -4 -6 -s -l --all --verbose --mount --user --silent',
      values: '-n --namespace',
    },
    operands: ['local...'],
    examples: ['fuser -v README.md'],
  },
  {
    names: 'iostat mpstat',
    manual: 'iostat(1)',
    isObserved: true,
    options: {
      flags: '-c -d -h -k -m -N -s -t -V -x -y -z -A -u -r -w -I --compact --human --pretty --dec',
      values: '-p -P -j -o',
    },
    operands: ['text', 'number'],
    examples: ['iostat', 'iostat -x', 'mpstat -P ALL'],
  },
  {
    names: 'choom',
    manual: 'choom(1)',
    isObserved: true,
    options: { roles: { number: '-p --pid' } },
    // Excluded: a command, because options may follow it.
    requires: ['-p --pid'],
    examples: ['choom -p 1'],
  },
]
