import type { CommandSpec } from '../programs/command-spec.js'

const formatManual = (page: string) => `${page}(1), GNU coreutils 9`

/** Returns the tables of programs that write with some option or operand. */
const createConditionalWriterSpecs = (): readonly CommandSpec[] => [
  {
    names: 'sort',
    manual: formatManual('sort'),
    isObserved: true,
    options: {
      flags:
        '-b -d -f -g -h -i -m -M -n -r -R -s -u -V -z -c -C --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --merge --month-sort --numeric-sort --reverse --random-sort --stable --unique --version-sort --zero-terminated --debug',
      values: '-k -t --key --field-separator --parallel --sort',
      attached: '--check',
      roles: { reads: '--random-source', output: '-o --output' },
      // A small buffer or batch makes `sort` write temporary files.
      refused: '-S --buffer-size --batch-size -T --temporary-directory --files0-from',
      runs: '--compress-program',
    },
    acceptsAbbreviations: true,
    operands: ['reads...'],
    examples: ['sort README.md', 'sort -rn README.md', 'sort -k2,2 -t: README.md', 'sort --reverse README.md'],
  },
  {
    names: 'uniq',
    manual: formatManual('uniq'),
    isObserved: true,
    options: {
      flags: '-c -d -D -i -u -z --count --repeated --ignore-case --unique --zero-terminated -#',
      values: '-f -s -w --skip-fields --skip-chars --check-chars',
      attached: '--all-repeated --group',
    },
    acceptsAbbreviations: true,
    operands: ['reads', 'output'],
    examples: ['uniq README.md', 'uniq -c README.md', 'uniq --all-repeat=separate README.md'],
  },
  {
    names: 'shuf',
    manual: formatManual('shuf'),
    isObserved: true,
    options: {
      flags: '-e -r -z --echo --repeat --zero-terminated',
      values: '-i -n --input-range --head-count',
      roles: { reads: '--random-source', output: '-o --output' },
    },
    acceptsAbbreviations: true,
    operands: ['reads'],
    operandCases: [{ options: '-e --echo', operands: ['text...'] }],
    examples: ['shuf -i 1-3', 'shuf -n 1 README.md', 'shuf -e a b'],
  },
  {
    names: 'ptx',
    manual: formatManual('ptx'),
    isObserved: true,
    options: {
      flags: '-A -f -O -r -R -T --auto-reference --ignore-case --references --right-side-refs',
      values: '-g -w -W -S -F -M',
    },
    operands: ['reads...'],
    examples: ['ptx README.md'],
  },
  {
    names: 'tee',
    manual: formatManual('tee'),
    isObserved: true,
    options: { flags: '-a -i -p --append --ignore-interrupts', attached: '--output-error' },
    acceptsAbbreviations: true,
    operands: ['output...'],
    examples: ['tee /dev/null < README.md'],
  },
  {
    names: 'hostname',
    isObserved: true,
    manual: 'hostname(1)',
    // Excluded: options that query a name server, and `-F` and operands, which set the host name.
    options: {
      flags: '-I -s --all-ip-addresses --short',
    },
    examples: ['hostname', 'hostname -I'],
  },
]

/** Returns the tables of programs that change the files that their operands name. */
const createWriterSpecs = (): readonly CommandSpec[] => [
  {
    names: 'mkdir mkfifo',
    manual: formatManual('mkdir'),
    hasObservedHelp: true,
    options: { flags: '-p -v --parents --verbose', values: '-m --mode' },
    operands: ['writes...'],
    examples: [],
  },
  {
    names: 'touch',
    manual: formatManual('touch'),
    hasObservedHelp: true,
    options: {
      flags: '-a -m -c -f -h --no-create --no-dereference',
      values: '-d -t --date --time',
      roles: { reads: '-r --reference' },
    },
    operands: ['writes...'],
    examples: [],
  },
  {
    names: 'rm rmdir unlink shred',
    manual: formatManual('rm'),
    hasObservedHelp: true,
    options: {
      flags:
        '-f -i -I -r -R -d -v -p -u -z --force --recursive --dir --verbose --one-file-system --parents --ignore-fail-on-non-empty --no-preserve-root --zero',
      attached: '--interactive --preserve-root --remove',
      values: '-n --iterations',
    },
    operands: ['deletes...'],
    examples: [],
  },
  {
    names: 'cp',
    manual: formatManual('cp'),
    hasObservedHelp: true,
    options: {
      flags:
        '-a -d -f -i -L -n -p -P -r -R -u -v -x --archive --force --interactive --dereference --no-clobber --no-dereference --recursive --verbose --no-target-directory -T -b -H -l -s --link --symbolic-link --parents --strip-trailing-slashes',
      values: '-S --suffix',
      attached: '--update --preserve --backup',
      roles: { into: '-t --target-directory' },
    },
    operands: ['reads...'],
    recursiveOptions: '-r -R -a --recursive --archive',
    followsWith: '-L -H --dereference',
    lastOperand: 'writes',
    examples: [],
  },
  {
    names: 'mv',
    manual: formatManual('mv'),
    hasObservedHelp: true,
    options: {
      flags: '-f -i -n -u -v -T -b --force --interactive --no-clobber --verbose --no-target-directory',
      values: '-S --suffix',
      attached: '--update --backup',
      roles: { into: '-t --target-directory' },
    },
    operands: ['moves...'],
    lastOperand: 'writes',
    examples: [],
  },
  {
    names: 'chmod chown chgrp',
    manual: formatManual('chmod'),
    hasObservedHelp: true,
    options: { flags: '-R -v -c -f -h --recursive --verbose --changes --silent --quiet' },
    operands: ['text', 'writes...'],
    examples: [],
  },
  {
    names: 'truncate',
    manual: formatManual('truncate'),
    hasObservedHelp: true,
    options: { flags: '-c --no-create', values: '-s --size', roles: { reads: '-r --reference' } },
    operands: ['writes...'],
    examples: [],
  },
  {
    names: 'ln link',
    manual: formatManual('ln'),
    hasObservedHelp: true,
    risk: 'writes files',
    options: {
      flags:
        '-s -f -i -n -r -v -T -b -L -P --symbolic --force --interactive --no-dereference --relative --verbose --no-target-directory --logical --physical',
      values: '-S --suffix',
      attached: '--backup',
      roles: { into: '-t --target-directory' },
    },
    operands: ['reads...'],
    lastOperand: 'writes',
    examples: [],
  },
  {
    names: 'install',
    manual: formatManual('install'),
    hasObservedHelp: true,
    risk: 'writes files',
    options: {
      flags: '-b -c -C -D -d -p -s -v -T --compare --directory --preserve-timestamps --strip --verbose',
      values: '-m -g -o -S --mode --group --owner --suffix',
      attached: '--backup',
      roles: { into: '-t --target-directory' },
      runs: '--strip-program',
    },
    operands: ['reads...'],
    operandCases: [{ options: '-d --directory', operands: ['writes...'] }],
    lastOperand: 'writes',
    examples: [],
  },
  {
    names: 'split',
    manual: formatManual('split'),
    hasObservedHelp: true,
    risk: 'writes files',
    options: {
      flags: '-d -x -e -u --verbose --elide-empty-files --unbuffered',
      values: '-a -b -C -l -n -t --suffix-length --bytes --line-bytes --lines --number --separator --additional-suffix',
      attached: '--numeric-suffixes --hex-suffixes',
      runs: '--filter',
    },
    acceptsAbbreviations: true,
    operands: ['reads', 'prefix'],
    changesOtherwise: 'xaa',
    examples: [],
  },
  {
    names: 'csplit',
    manual: formatManual('csplit'),
    hasObservedHelp: true,
    risk: 'writes files',
    options: {
      flags: '-k -s -q -z --keep-files --silent --quiet --elide-empty-files',
      values: '-b -n --suffix-format --digits',
      roles: { prefix: '-f --prefix' },
    },
    operands: ['reads', 'text...'],
    changesOtherwise: 'xx00',
    examples: [],
  },
  { names: 'dd', manual: formatManual('dd'), hasObservedHelp: true, risk: 'writes files', checker: 'dd', examples: [] },
  {
    names: 'mknod',
    manual: formatManual('mknod'),
    hasObservedHelp: true,
    risk: 'writes files',
    options: { values: '-m --mode' },
    operands: ['writes', 'text...'],
    examples: [],
  },
  {
    names: 'mktemp',
    manual: formatManual('mktemp'),
    hasObservedHelp: true,
    risk: 'writes files',
    operands: ['text...'],
    examples: [],
  },
]

/** Returns the tables of programs that change files, always or with an option. */
export const createFileChangeSpecs = (): readonly CommandSpec[] => [
  ...createConditionalWriterSpecs(),
  ...createWriterSpecs(),
]
