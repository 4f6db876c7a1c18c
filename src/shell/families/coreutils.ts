import type { CommandSpec } from '../programs/command-spec.js'

const formatManual = (page: string) => `${page}(1), GNU coreutils 9`

/** Returns the tables of programs that print what they read and have no options with effects. */
const createPrintSpecs = (): readonly CommandSpec[] => [
  {
    names: 'cat',
    manual: formatManual('cat'),
    isObserved: true,
    options: {
      flags:
        '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['cat README.md', 'cat -A README.md', 'cat -n src/index.js'],
  },
  {
    names: 'tac',
    manual: formatManual('tac'),
    isObserved: true,
    options: { flags: '-b -r --before --regex', values: '-s --separator' },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['tac README.md', "tac -s ' ' README.md"],
  },
  {
    names: 'head tail',
    manual: formatManual('head'),
    isObserved: true,
    options: {
      flags: '-q -v -z -f -F -r --quiet --silent --verbose --zero-terminated --retry -#',
      values: '-n -c -s --lines --bytes --sleep-interval --pid --max-unchanged-stats',
      attached: '--follow',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['head -5 README.md', 'tail -n 2 README.md', 'head -c 10 README.md', 'tail -n +2 README.md'],
  },
  {
    names: 'wc',
    manual: formatManual('wc'),
    isObserved: true,
    options: {
      flags: '-c -m -l -L -w --bytes --chars --lines --max-line-length --words --debug',
      values: '--total',
      // The value is a file that lists further files to read.
      refused: '--files0-from',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['wc -l README.md', 'wc README.md package.json'],
  },
  {
    names: 'nl',
    manual: formatManual('nl'),
    isObserved: true,
    options: {
      flags: '-p --no-renumber',
      values:
        '-b -d -f -h -i -l -n -s -v -w --body-numbering --section-delimiter --footer-numbering --header-numbering --line-increment --join-blank-lines --number-format --number-separator --starting-line-number --number-width',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['nl README.md', 'nl -b a README.md'],
  },
  {
    names: 'od',
    manual: formatManual('od'),
    isObserved: true,
    options: {
      flags: '-a -b -c -d -f -i -l -o -s -x -v --output-duplicates --traditional',
      values: '-A -j -N -S -t --address-radix --endian --skip-bytes --read-bytes --format',
      attached: '-w --width --strings',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['od -c README.md', 'od -A n -t x1 -N 4 README.md'],
  },
  {
    names: 'base64 base32 basenc',
    manual: formatManual('base64'),
    isObserved: true,
    options: {
      flags:
        '-d -D -i --decode --ignore-garbage --base64 --base64url --base32 --base32hex --base16 --base2lsbf --base2msbf --z85 --base58',
      values: '-w --wrap',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads'],
    examples: ['base64 README.md', 'basenc --base64 README.md'],
  },
  {
    names: 'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5',
    manual: formatManual('md5sum'),
    isObserved: true,
    options: {
      flags:
        '-b -t -z -w -r -s -q -p --binary --tag --text --zero --ignore-missing --quiet --status --strict --warn --untagged --raw --base64 --debug --sysv',
      values: '-a -l --algorithm --length',
      // The checked file lists further files to read.
      refused: '-c --check',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['md5sum README.md', 'sha256sum README.md package.json', 'cksum README.md'],
  },
  {
    names: 'fold',
    manual: formatManual('fold'),
    isObserved: true,
    options: { flags: '-b -s -c -# --bytes --characters --spaces', values: '-w --width' },
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['fold -w 20 README.md'],
  },
  {
    names: 'fmt',
    manual: formatManual('fmt'),
    isObserved: true,
    options: {
      flags: '-c -s -t -u -# --crown-margin --split-only --tagged-paragraph --uniform-spacing',
      values: '-w -p -g --width --prefix --goal',
    },
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['fmt README.md', 'fmt -t README.md'],
  },
  {
    names: 'expand unexpand',
    manual: formatManual('expand'),
    isObserved: true,
    options: { flags: '-i -a -# --initial --all --first-only', values: '-t --tabs' },
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['expand -t 4 README.md'],
  },
  {
    names: 'pr',
    manual: formatManual('pr'),
    isObserved: true,
    options: {
      flags:
        '-a -c -d -f -F -J -m -r -t -T -v -# --across --show-control-chars --double-space --form-feed --join-lines --merge --no-file-warnings --omit-header --omit-pagination --show-nonprinting',
      values:
        '-D -h -l -o -w -W -N --columns --date-format --header --length --indent --width --page-width --first-line-number --pages',
      attached: '-e -i -n -s -S --expand-tabs --output-tabs --number-lines --separator --sep-string',
    },
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['pr README.md'],
  },
  {
    names: 'cut',
    manual: formatManual('cut'),
    isObserved: true,
    options: {
      flags: '-n -s -z --complement --only-delimited --zero-terminated',
      values: '-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['cut -c 1-5 README.md', 'cut -d: -f1 README.md'],
  },
  {
    names: 'paste comm tsort rev',
    manual: formatManual('paste'),
    isObserved: true,
    options: {
      flags: '-s -z -1 -2 -3 --serial --zero-terminated --check-order --nocheck-order --total',
      values: '-d --delimiters --output-delimiter',
    },
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['paste README.md package.json', 'paste -s -d, README.md', 'tsort README.md', 'rev README.md'],
  },
  {
    names: 'join',
    manual: formatManual('join'),
    isObserved: true,
    options: {
      flags: '-i -z --ignore-case --check-order --nocheck-order --header --zero-terminated',
      values: '-1 -2 -a -e -j -o -t -v',
    },
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['join README.md README.md', 'join -1 1 -2 1 README.md README.md'],
  },
  {
    names: 'tr',
    manual: formatManual('tr'),
    isObserved: true,
    options: { flags: '-c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1' },
    style: 'posix',
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['text...'],
    examples: ['tr a-z A-Z < README.md', 'tr -d x < README.md'],
  },
  {
    names: 'ls dir vdir',
    manual: formatManual('ls'),
    isObserved: true,
    options: {
      flags:
        '-1 -a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -k -l -L -m -n -N -o -O -p -q -Q -r -R -s -S -t -u -U -v -W -x -X -Z -e -@ -P --all --almost-all --author --escape --ignore-backups --directory --dired --group-directories-first --no-group --human-readable --si --dereference-command-line --dereference-command-line-symlink-to-dir --inode --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --reverse --recursive --size --zero --context --full-time --file-type',
      values:
        '-I -T -w --block-size --hide --indicator-style --ignore --quoting-style --sort --time --time-style --tabsize --width --format',
      attached: '--color --classify --hyperlink',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    recursiveOptions: '-R --recursive',
    followsWith: '-L --dereference',
    readsByDefault: '.',
    examples: ['ls', 'ls -la', 'ls -lah src', 'ls --color=never', 'ls -R src'],
  },
]

/** Returns the tables of programs that print information about files, users or the machine. */
const createInfoSpecs = (): readonly CommandSpec[] => [
  {
    names: 'stat',
    manual: formatManual('stat'),
    isObserved: true,
    options: {
      flags: '-L -f -t -x -s -q -r -n -l -F --dereference --file-system --terse',
      values: '-c --format --printf --cached',
    },
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['stat README.md', "stat -c '%s' README.md"],
  },
  {
    names: 'readlink realpath',
    manual: formatManual('readlink'),
    isObserved: true,
    options: {
      flags:
        '-f -e -m -n -q -s -v -z -L -P --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero --logical --physical --strip --no-symlinks',
      values: '--relative-to --relative-base',
    },
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['readlink -f README.md', 'realpath src'],
  },
  {
    names: 'basename dirname',
    manual: formatManual('basename'),
    isObserved: true,
    options: { flags: '-a -z --multiple --zero', values: '-s --suffix' },
    hasOnlyHarmlessOptions: true,
    operands: ['text...'],
    examples: ['basename src/index.js .js', 'dirname src/index.js'],
  },
  {
    names: 'pwd',
    manual: formatManual('pwd'),
    isObserved: true,
    options: { flags: '-L -P --logical --physical' },
    hasOnlyHarmlessOptions: true,
    examples: ['pwd', 'pwd -P'],
  },
  {
    names: 'du',
    manual: formatManual('du'),
    isObserved: true,
    options: {
      flags:
        '-0 -a -b -c -D -H -h -k -L -l -m -P -S -s -x -g --null --all --apparent-size --bytes --total --dereference-args --human-readable --inodes --dereference --count-links --no-dereference --separate-dirs --si --summarize --one-file-system',
      values: '-B -d -t -I --block-size --max-depth --threshold --exclude --time-style',
      attached: '--time',
      roles: { reads: '-X --exclude-from' },
      refused: '--files0-from',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    followsWith: '-L --dereference',
    readsByDefault: '.',
    examples: ['du -sh .', 'du -d 1 -h', 'du -a src'],
  },
  {
    names: 'df',
    manual: formatManual('df'),
    isObserved: true,
    options: {
      flags:
        '-a -h -H -i -k -l -m -P -T -v -g --all --human-readable --si --inodes --local --no-sync --portability --print-type --total',
      values: '-B -t -x --block-size --type --exclude-type',
      attached: '--output',
      refused: '--sync',
    },
    acceptsAbbreviations: true,
    operands: ['reads...'],
    examples: ['df -h', 'df -P .'],
  },
  {
    names: 'date',
    manual: formatManual('date'),
    isObserved: true,
    options: {
      flags: '-R -u -j -n --rfc-email --utc --universal --uct --debug --resolution --rfc-2822 --rfc-822',
      values: '-v -z --rfc-3339',
      attached: '-I --iso-8601',
      // A text with a slash may name the file of a time zone: `TZ=":/file" now`.
      roles: { name: '-d --date', reads: '-r --reference' },
      refused: '-s --set -f --file',
    },
    acceptsAbbreviations: true,
    operands: ['format'],
    examples: ['date', 'date +%s', 'date -u +%Y', "date -d '2 days ago' +%F"],
  },
  {
    names: 'uname arch nproc whoami tty logname groups id pathchk printenv',
    manual: formatManual('uname'),
    isObserved: true,
    options: {
      flags:
        '-a -s -n -r -v -m -p -i -o -u -g -G -z -Z -0 -P --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system --silent --quiet --user --group --groups --name --real --zero --null --context --portability',
      values: '--ignore',
    },
    hasOnlyHarmlessOptions: true,
    operands: ['text...'],
    examples: ['uname -a', 'id -u', 'whoami', 'nproc', 'groups', 'printenv HOME'],
  },
  {
    names: 'w',
    manual: 'w(1)',
    isObserved: true,
    options: {
      flags: '-h -u -s -f -o -V -i --no-header --no-current --short --from --old-style --ip-addr',
    },
    operands: ['text...'],
    examples: ['w', 'w -h'],
  },
  {
    names: 'who users',
    manual: formatManual('who'),
    isObserved: true,
    options: {
      flags:
        '-a -b -d -H -l -m -p -q -r -s -t -T -u -w --all --boot --dead --heading --login --process --count --runlevel ' +
        '--short --time --mesg --message --users --writable --ips',
      // This option looks up the names of hosts.
      refused: '--lookup',
    },
    hasOnlyHarmlessOptions: true,
    // `who FILE` reads that file instead of the list of users. In `who am i`, both words are read as files too.
    operands: ['reads...'],
    examples: ['who', 'who -b', 'users'],
  },
  {
    names: 'echo',
    manual: 'bash(1), SHELL BUILTIN COMMANDS',
    isObserved: true,
    // Only clusters of -n, -e and -E are options; any other word is printed.
    style: 'data',
    operands: ['text...'],
    examples: ['echo hello', 'echo -n x', 'echo ---'],
  },
  {
    names: 'true false : yes seq factor expr sleep',
    manual: formatManual('seq'),
    isObserved: true,
    options: { flags: '-w -h -# --equal-width --exponents', values: '-f -s -t --format --separator' },
    hasOnlyHarmlessOptions: true,
    operands: ['text...'],
    examples: ['true', 'seq 1 5', 'seq 5 -2 1', 'factor 12', 'expr 1 + 1', 'sleep 0'],
  },
  {
    names: 'numfmt',
    manual: formatManual('numfmt'),
    isObserved: true,
    options: {
      flags: '-z --debug --grouping --zero-terminated',
      values:
        '-d --delimiter --field --format --from --from-unit --invalid --padding --round --suffix --to --to-unit --unit-separator',
      attached: '--header',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['text...'],
    examples: ['numfmt --to=iec 12345'],
  },
  {
    names: 'stty',
    manual: formatManual('stty'),
    options: { flags: '-a -g --all --save', refused: '-F --file' },
    subcommands: { '': {}, size: {}, speed: {} },
    examples: ['stty -a', 'stty size'],
  },
  {
    names: 'dircolors',
    manual: formatManual('dircolors'),
    isObserved: true,
    options: { flags: '-b -c -p --sh --bourne-shell --csh --c-shell --print-database --print-ls-colors' },
    hasOnlyHarmlessOptions: true,
    operands: ['reads'],
    examples: ['dircolors -p'],
  },
]

/** Returns the tables of the GNU coreutils, based on their manual. */
export const createCoreutilSpecs = (): readonly CommandSpec[] => [...createPrintSpecs(), ...createInfoSpecs()]
