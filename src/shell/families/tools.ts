import type { CommandSpec, CommandUsage } from '../programs/command-spec.js'

const DIGEST_USAGE: CommandUsage = {
  style: 'single-dash',
  options: { flags: '-md5 -sha1 -sha224 -sha256 -sha384 -sha512 -hex -r -c -binary -list' },
  operands: ['reads...'],
}

const TERMINAL_CAPABILITIES =
  'cols lines colors bold dim rev smso rmso smul rmul sgr0 setaf setab op el ed clear longname bel cup civis cnorm'

/** Returns the tables of checkers, key tools, terminal tools and other programs that only print. */
export const createToolSpecs = (): readonly CommandSpec[] => [
  {
    names: 'shellcheck',
    manual: 'shellcheck(1)',
    options: {
      flags: '--norc --list-optional -V --version',
      values: '-e --exclude -i --include -f --format -o --enable -s --shell -S --severity -W --wiki-link-count',
      attached: '-C --color',
      // With these options, shellcheck prints files that the script names.
      refused: '-a --check-sourced -x --external-sources -P --source-path --rcfile',
    },
    operands: ['reads...'],
    examples: ['shellcheck --version', 'shellcheck scripts/deploy.sh', 'shellcheck -s bash -f gcc scripts/deploy.sh'],
  },
  {
    names: 'openssl',
    manual: 'openssl(1)',
    isObserved: true,
    style: 'single-dash',
    subcommands: {
      version: { style: 'single-dash', options: { flags: '-a -v -d -b -o -f -p -r' } },
      dgst: DIGEST_USAGE,
      md5: DIGEST_USAGE,
      sha1: DIGEST_USAGE,
      sha256: DIGEST_USAGE,
      sha512: DIGEST_USAGE,
      help: {},
      prime: {
        style: 'single-dash',
        options: { flags: '-hex -generate -safe', values: '-bits -checks' },
        operands: ['text...'],
      },
      list: {
        style: 'single-dash',
        options: {
          flags:
            '-1 -verbose -commands -digest-commands -digest-algorithms -cipher-commands -cipher-algorithms ' +
            '-public-key-algorithms -public-key-methods -kdf-algorithms -mac-algorithms -random-generators ' +
            '-encoders -decoders -signature-algorithms -disabled -providers',
        },
      },
      ciphers: {
        style: 'single-dash',
        options: { flags: '-v -V -s -stdname -tls1 -tls1_1 -tls1_2 -tls1_3' },
        operands: ['text'],
      },
      rand: { style: 'single-dash', options: { flags: '-hex -base64' }, operands: ['number'] },
      req: {
        style: 'single-dash',
        options: {
          flags: '-noout -text -subject -pubkey -modulus -verify',
          values: '-inform -nameopt',
          roles: { reads: '-in' },
        },
        requires: ['-in'],
      },
      base64: { style: 'single-dash', options: { flags: '-d -e -A', roles: { reads: '-in' } } },
      x509: {
        style: 'single-dash',
        options: {
          flags:
            '-noout -text -subject -issuer -dates -startdate -enddate -fingerprint -serial -pubkey -modulus -email -sha256 -sha1',
          values: '-inform -nameopt -ext -checkend',
          // The value must not contain a colon: `openssl` may read such a name as the key of an engine and load that engine.
          roles: { archive: '-in' },
        },
      },
    },
    examples: [
      'openssl version',
      'openssl dgst -sha256 README.md',
      'openssl base64 -in README.md',
      'openssl prime 17',
      'openssl list -1 -digest-commands',
      'openssl ciphers -v',
      'openssl rand -hex 4',
      'openssl req -in README.md -noout -text || true',
    ],
  },
  {
    names: 'ssh-keygen',
    manual: 'ssh-keygen(1)',
    options: { flags: '-l -B -v', values: '-E', roles: { key: '-f' }, targets: '-f', runs: '-D' },
    // Without `-f`, `ssh-keygen` asks for the name of the file on its input.
    requires: ['-l -B', '-f'],
    examples: ['ssh-keygen -l -f key.pub', 'ssh-keygen -lf key.pub'],
  },
  {
    names: 'update-alternatives',
    manual: 'update-alternatives(1)',
    isObserved: true,
    options: { flags: '--get-selections', roles: { name: '--list --display --query' } },
    requires: ['--get-selections --list --display --query'],
    examples: ['update-alternatives --get-selections', 'update-alternatives --list pager'],
  },
  {
    names: 'ldconfig',
    manual: 'ldconfig(8)',
    isObserved: true,
    options: { flags: '-p --print-cache' },
    requires: ['-p --print-cache'],
    examples: ['ldconfig -p'],
  },
  {
    names: 'lsb_release',
    manual: 'lsb_release(1)',
    options: { flags: '-a -d -r -c -i -s -v --all --description --release --codename --id --short' },
    examples: ['lsb_release -a'],
  },
  {
    names: 'tput',
    manual: 'tput(1)',
    isObserved: true,
    options: { flags: '-V -x', roles: { terminal: '-T' } },
    // Excluded: `init` and `reset`, which run the program that the description of the terminal names.
    subcommands: Object.fromEntries(
      TERMINAL_CAPABILITIES.split(' ').map((name) => [name, { operands: ['number...'] } as const]),
    ),
    examples: ['tput -T xterm cols', 'tput -T xterm bold'],
  },
  {
    names: 'infocmp',
    manual: 'infocmp(1)',
    isObserved: true,
    options: { flags: '-1 -x -L -I -C -a -h' },
    // Only well-known terminals are accepted: the description of any other may be a file in the home folder.
    operands: ['terminal...'],
    examples: ['infocmp -1 xterm'],
  },
  {
    names: 'envsubst',
    manual: 'envsubst(1)',
    options: { flags: '-v --variables' },
    operands: ['text'],
    examples: ['envsubst'],
  },
  { names: 'uuidgen', manual: 'uuidgen(1)', options: { flags: '-r --random' }, examples: ['uuidgen'] },
  { names: 'mcookie', manual: 'mcookie(1)', isObserved: true, options: { flags: '-v' }, examples: ['mcookie'] },
  {
    names: 'run-parts',
    manual: 'run-parts(8)',
    isObserved: true,
    options: { flags: '--test --list --lsbsysinit', values: '--regex' },
    requires: ['--test --list'],
    operands: ['reads'],
    examples: ['run-parts --test scripts', 'run-parts --list scripts'],
  },
  {
    names: 'systemd-escape',
    manual: 'systemd-escape(1)',
    options: { flags: '-u --unescape -p --path -m --mangle' },
    operands: ['text...'],
    examples: ['systemd-escape -p /a/b'],
  },
  {
    names: 'numactl',
    manual: 'numactl(8)',
    options: { flags: '-H --hardware -s --show' },
    requires: ['-H --hardware -s --show'],
    style: 'posix',
    operands: ['command'],
    examples: ['numactl --hardware'],
  },
  {
    names: 'sensors acpi',
    manual: 'sensors(1)',
    options: { flags: '-A -f -u -V -b -t -a' },
    examples: ['sensors', 'acpi -V'],
  },
  {
    names: 'dmidecode',
    manual: 'dmidecode(8)',
    options: { flags: '-q', values: '-t -s' },
    examples: ['dmidecode -t bios'],
  },
]
