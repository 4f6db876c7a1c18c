import type { CommandSpec, CommandUsage } from '../programs/command-spec.js'

const GREP_USAGE: CommandUsage = {
  options: {
    flags: '-i -v -n -c -l -L -h -H -w -x -E -F -G -P -o -q -s -a -# --ignore-case --count --line-number',
    // `zgrep` and its variants are shell scripts. Some of them split these values, and the value of `-e`, into words.
    roles: { number: '-m -A -B -C' },
    // With these options, the scripts copy the patterns to a temporary file.
    refused: '-f -e',
  },
  // After the first file, some of these scripts treat options as file names. The roles refuse words that start with a dash.
  style: 'posix',
  operands: ['pattern', 'compressed...'],
}

/** Usage of programs that decompress to standard output whatever their options are. */
const DECOMPRESS_USAGE: CommandUsage = { options: { flags: '-f -v -q -k' }, operands: ['compressed...'] }

/** Shows a compressed file with `less`, whose option `-o` would write a log file. */
const PAGER_USAGE: CommandUsage = {
  options: { flags: '-F -R -S -N -X -i -s --quit-if-one-screen --chop-long-lines --no-init --LINE-NUMBERS' },
  operands: ['paged...'],
}

/** Programs whose last mode option wins: only testing and output to standard output certainly change no file. */
const ARCHIVER_USAGE: CommandUsage = {
  options: {
    flags: '-c -d -k -t -v -q -f -# -e --stdout --decompress --keep --test --verbose --quiet --force --fast --best',
  },
  requires: ['-c --stdout -t --test'],
  exclusivePairs: [['-t --test', '-d --decompress']],
  operands: ['compressed...'],
}

/** Returns the tables of programs for archives and compressed files: only uses that list, test or print them. */
export const createArchiveSpecs = (): readonly CommandSpec[] => [
  {
    names: 'tar',
    manual: 'tar(1)',
    isObserved: true,
    style: 'bundled',
    options: {
      flags:
        '-t --list -v --verbose -z --gzip --gunzip --ungzip -j --bzip2 -J --xz -a --auto-compress --zstd --lzma ' +
        '--lzip --full-time --utc --numeric-owner --totals --wildcards --no-wildcards --anchored --no-anchored ' +
        '--ignore-case --no-recursion -R --block-number --show-transformed-names -i --ignore-zeros ' +
        '--force-local -p --preserve-permissions',
      values: '-C --directory --exclude --strip-components --quoting-style',
      roles: { archive: '-f --file', reads: '-X --exclude-from' },
      targets: '-C --directory',
      conditionalTargets: { options: '-c --create -r --append -u --update -A', targets: '-f --file' },
      refused: '-c --create -x --extract --get -r --append -u --update -A --delete',
      lists: '-T --files-from -P --absolute-names',
      runs:
        '-I -F --use-compress-program --to-command --checkpoint-action --info-script --new-volume-script --rsh-command ' +
        '--rmt-command',
    },
    requires: ['-t --list'],
    operands: ['text...'],
    examples: [
      'tar tf docs/archive.tar',
      'tar -tvf docs/archive.tar',
      'tar --list --file docs/archive.tar.gz',
      'tar --help',
    ],
  },
  {
    names: 'unzip',
    manual: 'unzip(1)',
    isObserved: true,
    options: {
      flags: '-l -p -c -t -v -Z -1 -2 -z -q -a -b -C -j -n -s -# -h -x',
      values: '-P',
      refused: '-d -o -f -u',
      targets: '-d',
      // With this option, names in the archive may lead out of the folder.
      lists: '-:',
    },
    // Words after the archive, even with a dash, are names of its members.
    style: 'posix',
    requires: ['-l -p -c -t -v -Z -z -h'],
    operands: ['zip', 'parameter...'],
    examples: [
      'unzip -l docs/archive.zip',
      'unzip -c docs/archive.zip',
      'unzip -Z1 docs/archive.zip',
      'unzip -p docs/archive.zip a.txt',
      'unzip -t docs/archive.zip',
    ],
  },
  {
    names: 'zipinfo',
    manual: 'zipinfo(1)',
    isObserved: true,
    options: { flags: '-# -s -m -l -v -h -M -t -T -z -C -x' },
    style: 'posix',
    operands: ['zip', 'parameter...'],
    examples: ['zipinfo docs/archive.zip', 'zipinfo -1 docs/archive.zip'],
  },
  {
    names: 'zipgrep',
    manual: 'zipgrep(1)',
    isObserved: true,
    options: { flags: '-i -v -n -c -l -h -w -x -E -F -o -q -s' },
    style: 'posix',
    operands: ['pattern', 'zip', 'parameter...'],
    examples: ['zipgrep -v alpha docs/archive.zip'],
  },
  {
    names: 'gzip gunzip',
    manual: 'gzip(1)',
    isObserved: true,
    options: {
      flags:
        '-c --stdout --to-stdout -d --decompress --uncompress -l --list -t --test -v --verbose -q --quiet -n ' +
        '--no-name -N --name -f --force -k --keep -# --fast --best -a --ascii',
    },
    requires: ['-c --stdout --to-stdout -l --list -t --test'],
    operands: ['compressed...'],
    examples: [
      'gzip -l docs/file.gz',
      'gzip -cd docs/file.gz',
      'gunzip -c docs/file.gz',
      'gzip -t docs/file.gz',
      'gzip -c a.txt',
    ],
  },
  {
    names: 'zcat gzcat',
    manual: 'zcat(1)',
    isObserved: true,
    options: { flags: '-f --force -q --quiet -v --verbose -l --list -t --test' },
    operands: ['compressed...'],
    examples: ['zcat docs/file.gz', 'zcat -f a.txt'],
  },
  {
    names: 'bzip2 bunzip2',
    manual: 'bzip2(1)',
    isObserved: true,
    ...ARCHIVER_USAGE,
    examples: ['bzip2 -dc docs/file.bz2', 'bzip2 -t docs/file.bz2'],
  },
  {
    names: 'xz unxz lzma unlzma',
    manual: 'xz(1)',
    isObserved: true,
    options: {
      flags:
        '-c --stdout --to-stdout -d --decompress --uncompress -l --list -t --test -k --keep -v --verbose -q --quiet ' +
        '-f --force -# -e --extreme --robot --no-warn -Q',
      values: '-T --threads -M --memlimit',
    },
    requires: ['-c --stdout --to-stdout -l --list -t --test'],
    exclusivePairs: [['-l --list -t --test', '-d --decompress --uncompress']],
    operands: ['reads...'],
    examples: [
      'xz --decompress --stdout docs/file.xz',
      'xz -l docs/file.xz',
      'xz -t docs/file.xz',
      'xz -dc docs/file.xz',
    ],
  },
  {
    names: 'zstd unzstd',
    manual: 'zstd(1)',
    options: { flags: `${ARCHIVER_USAGE.options?.flags ?? ''} -l --list` },
    requires: ['-c --stdout -t --test -l --list'],
    exclusivePairs: [['-t --test -l --list', '-d --decompress -c --stdout']],
    operands: ['reads...'],
    examples: ['zstd -dc docs/file.zst', 'zstd -t docs/file.zst', 'zstd --list docs/file.zst'],
  },
  { names: 'bzcat', manual: 'bzcat(1)', isObserved: true, ...DECOMPRESS_USAGE, examples: ['bzcat docs/file.bz2'] },
  { names: 'xzcat lzcat', manual: 'xzcat(1)', isObserved: true, ...DECOMPRESS_USAGE, examples: ['xzcat docs/file.xz'] },
  { names: 'zstdcat lz4cat', manual: 'zstdcat(1)', ...DECOMPRESS_USAGE, examples: ['zstdcat docs/file.zst'] },
  {
    names: 'zgrep zegrep zfgrep',
    manual: 'zgrep(1)',
    isObserved: true,
    ...GREP_USAGE,
    examples: ['zgrep alpha docs/file.gz', 'zgrep -in ALPHA docs/file.gz'],
  },
  {
    names: 'bzgrep bzegrep bzfgrep',
    manual: 'bzgrep(1)',
    isObserved: true,
    ...GREP_USAGE,
    examples: ['bzgrep alpha docs/file.bz2'],
  },
  {
    names: 'xzgrep xzegrep xzfgrep',
    manual: 'xzgrep(1)',
    isObserved: true,
    ...GREP_USAGE,
    examples: ['xzgrep alpha docs/file.xz'],
  },
  { names: 'zstdgrep', manual: 'zstdgrep(1)', ...GREP_USAGE, examples: ['zstdgrep alpha docs/file.zst'] },
  { names: 'zless zmore', manual: 'zless(1)', isObserved: true, ...PAGER_USAGE, examples: ['zless docs/file.gz'] },
  { names: 'xzless xzmore', manual: 'xzless(1)', isObserved: true, ...PAGER_USAGE, examples: ['xzless docs/file.xz'] },
  {
    names: 'bzless bzmore zstdless',
    manual: 'bzless(1), zstdless(1)',
    ...PAGER_USAGE,
    examples: ['bzless docs/file.bz2'],
  },
  {
    names: 'cpio',
    manual: 'cpio(1)',
    options: {
      flags: '-t --list -i --extract -v --verbose -n --numeric-uid-gid --quiet -B -c',
      values: '-H --format',
      roles: { archive: '-F --file -I', reads: '-E --pattern-file' },
      targets: '-D --directory -O',
      runs: '--rsh-command --rmt-command',
    },
    requires: ['-t --list'],
    operands: ['text...'],
    examples: ['cpio -tv < archive.cpio', 'cpio -it < archive.cpio'],
  },
  {
    names: '7z 7za 7zr',
    manual: '7z(1)',
    style: 'single-dash',
    options: { targets: '-o -w' },
    subcommands: { '': {}, l: { operands: ['zip', 'parameter...'] }, t: { operands: ['zip', 'parameter...'] }, i: {} },
    examples: ['7z l archive.7z'],
  },
]
