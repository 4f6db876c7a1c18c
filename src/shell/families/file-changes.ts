import type { CommandSpec } from '../programs/command-spec.js'

const manual = (page: string) => `${page}(1), GNU coreutils 9`

/** Programs that write with some option or operand. */
const conditionalWriters: readonly CommandSpec[] = [
  {
    names: 'sort',
    manual: manual('sort'),
    isObserved: true,
    options: {
      flags:
        '-b -d -f -g -h -i -m -M -n -r -R -s -u -V -z -c -C --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --merge --month-sort --numeric-sort --reverse --random-sort --stable --unique --version-sort --zero-terminated --debug',
      values: '-k -t -S --key --field-separator --buffer-size --parallel --batch-size --sort',
      attached: '--check',
      roles: { reads: '--random-source', output: '-o --output' },
      refused: '-T --temporary-directory --files0-from',
      runs: '--compress-program',
    },
    abbreviates: true,
    operands: ['reads...'],
    examples: ['sort README.md', 'sort -rn README.md', 'sort -k2,2 -t: README.md', 'sort --reverse README.md'],
  },
  {
    names: 'uniq',
    manual: manual('uniq'),
    isObserved: true,
    options: {
      flags: '-c -d -D -i -u -z --count --repeated --ignore-case --unique --zero-terminated -#',
      values: '-f -s -w --skip-fields --skip-chars --check-chars',
      attached: '--all-repeated --group',
    },
    abbreviates: true,
    operands: ['reads', 'output'],
    examples: ['uniq README.md', 'uniq -c README.md', 'uniq --all-repeat=separate README.md'],
  },
  {
    names: 'shuf',
    manual: manual('shuf'),
    isObserved: true,
    options: {
      flags: '-e -r -z --echo --repeat --zero-terminated',
      values: '-i -n --input-range --head-count',
      roles: { reads: '--random-source', output: '-o --output' },
    },
    abbreviates: true,
    operands: ['reads'],
    operandsWith: [{ options: '-e --echo', operands: ['text...'] }],
    examples: ['shuf -i 1-3', 'shuf -n 1 README.md', 'shuf -e a b'],
  },
  {
    names: 'ptx',
    manual: manual('ptx'),
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
    manual: manual('tee'),
    isObserved: true,
    options: { flags: '-a -i -p --append --ignore-interrupts', attached: '--output-error' },
    abbreviates: true,
    operands: ['output...'],
    examples: ['tee /dev/null < README.md'],
  },
  {
    names: 'hostname',
    isObserved: true,
    manual: 'hostname(1)',
    // The other options query a name server.
    options: {
      flags: '-I -s --all-ip-addresses --short',
    },
    examples: ['hostname', 'hostname -I'],
  },
]

/** Programs that change the files that their operands name. */
const writers: readonly CommandSpec[] = [
  {
    names: 'mkdir touch mkfifo',
    manual: manual('mkdir'),
    hasObservedHelp: true,
    options: {
      flags: '-p -v -a -m -c -h --parents --verbose --no-create --no-dereference',
      values: '-d -t --mode --date --time',
      roles: { reads: '-r --reference' },
    },
    operands: ['writes...'],
    examples: [],
  },
  {
    names: 'rm rmdir unlink shred',
    manual: manual('rm'),
    hasObservedHelp: true,
    options: {
      flags:
        '-f -i -I -r -R -d -v -p -u -z --force --recursive --dir --verbose --one-file-system --preserve-root --parents --ignore-fail-on-non-empty --no-preserve-root --remove --zero',
      attached: '--interactive',
      values: '-n --iterations',
    },
    operands: ['deletes...'],
    examples: [],
  },
  {
    names: 'cp',
    manual: manual('cp'),
    hasObservedHelp: true,
    options: {
      flags:
        '-a -d -f -i -L -n -p -P -r -R -u -v -x --archive --force --interactive --dereference --no-clobber --no-dereference --recursive --verbose --no-target-directory -T -b -H -l -s --link --symbolic-link --parents --strip-trailing-slashes',
      values: '-S --suffix',
      attached: '--update --preserve --backup',
      roles: { into: '-t --target-directory' },
    },
    operands: ['reads...'],
    treeWith: '-r -R -a --recursive --archive',
    lastOperand: 'writes',
    examples: [],
  },
  {
    names: 'mv',
    manual: manual('mv'),
    hasObservedHelp: true,
    options: {
      flags: '-f -i -n -u -v -T -b --force --interactive --no-clobber --verbose --no-target-directory',
      values: '-S --suffix',
      attached: '--update --backup',
      roles: { into: '-t --target-directory' },
    },
    operands: ['deletes...'],
    lastOperand: 'writes',
    examples: [],
  },
  {
    names: 'chmod chown chgrp',
    manual: manual('chmod'),
    hasObservedHelp: true,
    options: { flags: '-R -v -c -f -h --recursive --verbose --changes --silent --quiet' },
    operands: ['text', 'writes...'],
    examples: [],
  },
  {
    names: 'truncate',
    manual: manual('truncate'),
    hasObservedHelp: true,
    options: { flags: '-c --no-create', values: '-s --size', roles: { reads: '-r --reference' } },
    operands: ['writes...'],
    examples: [],
  },
  {
    names: 'ln link',
    manual: manual('ln'),
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
    manual: manual('install'),
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
    operandsWith: [{ options: '-d --directory', operands: ['writes...'] }],
    lastOperand: 'writes',
    examples: [],
  },
  {
    names: 'split',
    manual: manual('split'),
    hasObservedHelp: true,
    risk: 'writes files',
    options: {
      flags: '-d -x -e -u --verbose --elide-empty-files --unbuffered',
      values: '-a -b -C -l -n -t --suffix-length --bytes --line-bytes --lines --number --separator --additional-suffix',
      attached: '--numeric-suffixes --hex-suffixes',
      runs: '--filter',
    },
    abbreviates: true,
    operands: ['reads', 'writes'],
    changesOtherwise: 'xaa',
    examples: [],
  },
  {
    names: 'csplit',
    manual: manual('csplit'),
    hasObservedHelp: true,
    risk: 'writes files',
    options: {
      flags: '-k -s -q -z --keep-files --silent --quiet --elide-empty-files',
      values: '-b -n --suffix-format --digits',
      roles: { writes: '-f --prefix' },
    },
    operands: ['reads', 'text...'],
    changesOtherwise: 'xx00',
    examples: [],
  },
  { names: 'dd', manual: manual('dd'), hasObservedHelp: true, risk: 'writes files', checker: 'dd', examples: [] },
  {
    names: 'mknod',
    manual: manual('mknod'),
    hasObservedHelp: true,
    risk: 'writes files',
    options: { values: '-m --mode' },
    operands: ['writes', 'text...'],
    examples: [],
  },
  {
    names: 'mktemp',
    manual: manual('mktemp'),
    hasObservedHelp: true,
    risk: 'writes files',
    operands: ['text...'],
    examples: [],
  },
]

/** Programs that change files, always or with an option. */
export const fileChanges: readonly CommandSpec[] = [...conditionalWriters, ...writers]
