import type { CommandSpec, CommandUsage, OptionGroups } from '../programs/command-spec.js'

const IP_SHOW_USAGE: CommandUsage = {
  style: 'posix',
  subcommands: {
    '': {},
    show: { operands: ['text...'] },
    list: { operands: ['text...'] },
    ls: { operands: ['text...'] },
    get: { operands: ['text...'] },
  },
}

const SHOW_ONLY_USAGE: CommandUsage = { style: 'posix', subcommands: { '': {}, show: { operands: ['text...'] } } }

const SS_OPTIONS: OptionGroups = {
  flags:
    '-n --numeric -a --all -l --listening -o --options -e --extended -m --memory -p --processes -i --info -s ' +
    '--summary -4 --ipv4 -6 --ipv6 -t --tcp -u --udp -x --unix -w --raw -S --sctp -H --no-header -O --oneline ' +
    '-Z --context -z -b --bpf -T --threads --tos --cgroup -V -h -0 --packet -d --dccp --vsock --tipc',
  values: '-f --family -A --query --socket',
  refused: '-K --kill -D --diag -r --resolve -E --events -F --filter -N --net',
}

/** Returns the entry of a program that contacts other hosts, whatever its options. */
function createNetworkProgram(names: string, manual: string, extraUsage: CommandUsage = {}): CommandSpec {
  return { names, manual, ...extraUsage, isOpaque: true, network: true, risk: 'contacts other hosts', examples: [] }
}

/** Returns a usage with options whose value is a file or folder that is written, and options that run a program. */
function createWritingUsage(targets: string, runs = ''): CommandUsage {
  return { options: { targets, runs } }
}

/**
 * Returns the tables of network programs. Those that print the state of this machine are read-only; queries to others are not.
 */
export const createNetworkSpecs = (): readonly CommandSpec[] => [
  {
    names: 'ip',
    manual: 'ip(8)',
    isObserved: true,
    style: 'single-dash',
    options: {
      flags:
        '-4 -6 -0 -s -stats -statistics -d -details -o -oneline -br -brief -j -json -p -pretty -h -human ' +
        '-human-readable -V -Version -c -color -N -t -timestamp -iec',
    },
    subcommands: {
      addr: IP_SHOW_USAGE,
      address: IP_SHOW_USAGE,
      a: IP_SHOW_USAGE,
      link: IP_SHOW_USAGE,
      l: IP_SHOW_USAGE,
      route: IP_SHOW_USAGE,
      r: IP_SHOW_USAGE,
      neigh: IP_SHOW_USAGE,
      neighbour: IP_SHOW_USAGE,
      n: IP_SHOW_USAGE,
      rule: IP_SHOW_USAGE,
      maddr: IP_SHOW_USAGE,
      tunnel: IP_SHOW_USAGE,
      tuntap: IP_SHOW_USAGE,
      netns: { subcommands: { '': {}, list: {} } },
    },
    examples: ['ip addr', 'ip -br link show', 'ip route', 'ip neigh'],
  },
  {
    names: 'bridge tc',
    manual: 'bridge(8), tc(8)',
    isObserved: true,
    style: 'single-dash',
    options: { flags: '-s -d -j -p -o -stats -details -json -pretty -oneline' },
    subcommands: {
      link: SHOW_ONLY_USAGE,
      fdb: SHOW_ONLY_USAGE,
      vlan: SHOW_ONLY_USAGE,
      mdb: SHOW_ONLY_USAGE,
      qdisc: SHOW_ONLY_USAGE,
      class: SHOW_ONLY_USAGE,
    },
    examples: ['bridge link', 'bridge fdb show', 'tc qdisc', 'tc qdisc show'],
  },
  {
    names: 'ss',
    manual: 'ss(8)',
    isObserved: true,
    options: SS_OPTIONS,
    // Excluded: other filters, because they may look up host names.
    subcommands: {
      '': {},
      state: { options: SS_OPTIONS, operands: ['identifier'] },
      src: { options: SS_OPTIONS, operands: ['port'] },
      dst: { options: SS_OPTIONS, operands: ['port'] },
    },
    examples: ['ss -tuln', 'ss -s', 'ss state listening', 'ss -lt src :8080'],
  },
  {
    names: 'netstat',
    manual: 'netstat(8)',
    isObserved: true,
    options: {
      flags:
        '-r --route -i --interfaces -g --groups -s --statistics -n --numeric -t --tcp -u --udp -w --raw -x --unix -l ' +
        '--listening -a --all -p --programs --program -e --extend -o --timers -v --verbose -W --wide -4 --inet -6 ' +
        '--inet6 -N --symbolic --numeric-hosts --numeric-ports --numeric-users -V --version -Z --context',
      refused: '-c --continuous',
    },
    // Without one of these options, netstat looks up host names.
    requires: ['-n --numeric --numeric-hosts -s --statistics -i --interfaces'],
    examples: ['netstat -tulnp', 'netstat --numeric --listening', 'netstat -rn'],
  },
  {
    names: 'ifconfig',
    manual: 'ifconfig(8)',
    isObserved: true,
    options: { flags: '-a -s -v' },
    operands: ['text'],
    examples: ['ifconfig', 'ifconfig -a', 'ifconfig lo'],
  },
  {
    names: 'route',
    manual: 'route(8)',
    isObserved: true,
    options: { flags: '-n -e -v' },
    requires: ['-n'],
    examples: ['route -n'],
  },
  {
    names: 'arp',
    manual: 'arp(8)',
    isObserved: true,
    options: { flags: '-n -a -e -v', values: '-i' },
    requires: ['-n'],
    examples: ['arp -n'],
  },
  {
    names: 'ipcalc sipcalc',
    manual: 'ipcalc(1)',
    options: { flags: '-n -b -c' },
    operands: ['text...'],
    examples: ['ipcalc 192.0.2.0/24'],
  },
  createNetworkProgram(
    'curl',
    'curl(1)',
    createWritingUsage(
      '-o --output --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts ' +
        '--alt-svc --libcurl',
      // A configuration may contain any option, so it may write any file.
      '-K --config',
    ),
  ),
  createNetworkProgram(
    'wget wget2',
    'wget(1)',
    createWritingUsage(
      '-O --output-document -P --directory-prefix -o --output-file -a --append-output --save-cookies --warc-file ' +
        '--hsts-file --rejected-log',
      '--use-askpass -e --execute --config',
    ),
  ),
  createNetworkProgram(
    'aria2c axel',
    'aria2c(1)',
    createWritingUsage('-o --out --output -d --dir -l --log', '--on-download-complete'),
  ),
  createNetworkProgram('http https xh httpie', 'http(1)', createWritingUsage('-o --output')),
  createNetworkProgram('scp', 'scp(1)', { options: { runs: '-S -D -o -F' }, lastOperand: 'writes' }),
  createNetworkProgram('sftp sshfs ssh-copy-id', 'sftp(1)', { options: { runs: '-S -D -o -F -b' } }),
  createNetworkProgram('mosh ssh-keyscan', 'mosh(1)', { options: { runs: '--ssh --server --client' } }),
  createNetworkProgram('rsync', 'rsync(1)', {
    ...createWritingUsage('--log-file --backup-dir --partial-dir -T --temp-dir --write-batch', '-e --rsh --rsync-path'),
    lastOperand: 'writes',
  }),
  createNetworkProgram('rclone', 'rclone(1)', { lastOperand: 'writes' }),
  createNetworkProgram('nc ncat netcat socat telnet ftp tftp lftp', 'nc(1)'),
  createNetworkProgram('dig host nslookup whois drill resolvectl', 'dig(1)'),
  createNetworkProgram('ping ping6 traceroute tracepath mtr nmap arping', 'ping(8)'),
  createNetworkProgram('tcpdump tshark', 'tcpdump(8)'),
  createNetworkProgram('aws gcloud az gsutil doctl heroku fly vercel netlify', 'aws(1)'),
  createNetworkProgram('gh glab hub', 'gh(1)', createWritingUsage('-D --dir -O --output')),
]
