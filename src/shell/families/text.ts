import type { CommandSpec, CommandUsage } from '../programs/command-spec.js'

const ELEMENTS_USAGE: CommandUsage = { options: { flags: '-a -v -u', attached: '-d' }, operands: ['document...'] }

/** Returns the tables of programs that search, compare, convert or show text, and of utilities such as `bc` and `units`. */
export const createTextSpecs = (): readonly CommandSpec[] => [
  {
    names: 'grep egrep fgrep',
    manual: 'grep(1), GNU grep 3',
    isObserved: true,
    options: {
      flags:
        '-a -b -c -E -F -G -h -H -i -I -l -L -n -o -P -q -r -s -T -u -U -v -w -x -y -z -Z -# --text --byte-offset --count --extended-regexp --fixed-strings --basic-regexp --perl-regexp --no-filename --with-filename --ignore-case --no-ignore-case --files-with-matches --files-without-match --line-number --only-matching --quiet --silent --recursive --no-messages --initial-tab --unix-byte-offsets --binary --invert-match --word-regexp --line-regexp --null-data --null --line-buffered --no-group-separator --fixed-regexp',
      values:
        '-A -B -C -e -m --after-context --before-context --context --regexp --max-count --include --exclude --exclude-dir --label --binary-files --group-separator',
      attached: '--color --colour',
      // With `-D read`, a recursive search reads pipes and devices.
      choices: { '-d --directories': 'read skip', '-D --devices': 'skip' },
      roles: { reads: '-f --file --exclude-from' },
      // `-R` follows links, which may lead outside the searched folder.
      refused: '-R --dereference-recursive',
    },
    acceptsAbbreviations: true,
    hasOnlyHarmlessOptions: true,
    operands: ['text', 'reads...'],
    operandCases: [{ options: '-e --regexp -f --file', operands: ['reads...'] }],
    recursiveOptions: '-r --recursive',
    examples: [
      'grep -n hello README.md',
      'grep -rn hello src',
      'grep -e a -e b README.md',
      "grep -c x --include='*.js' -r .",
    ],
  },
  {
    names: 'rgrep',
    manual: 'grep(1), Debian',
    options: {
      flags: '-a -c -E -F -h -H -i -I -l -L -n -o -P -q -s -v -w -x',
      values: '-A -B -C -m -e --include --exclude --exclude-dir',
      attached: '--color',
    },
    operands: ['text', 'tree...'],
    operandCases: [{ options: '-e', operands: ['tree...'] }],
    readsByDefault: './',
    examples: ['rgrep -n hello src'],
  },
  {
    names: 'sed gsed',
    manual: 'sed(1), GNU sed 4.9',
    isObserved: true,
    options: {
      flags:
        '-n -E -r -s -u -z --quiet --silent --regexp-extended --separate --unbuffered --null-data --zero-terminated --posix --debug --sandbox --follow-symlinks',
      values: '-l --line-length',
      // An attached suffix or path names a second file, which is written as a copy.
      attachedRoles: { refused: '-i --in-place' },
      roles: { sed: '-e --expression' },
      refused: '-f --file -b --binary',
    },
    acceptsAbbreviations: true,
    operands: ['sed', 'reads...'],
    operandCases: [{ options: '-e --expression', operands: ['reads...'] }],
    changesWith: '-i --in-place',
    examples: [
      "sed -n '1p' README.md",
      "sed 's/a/b/g' README.md",
      "sed -e 's/a/b/' -e '/c/d' README.md",
      'sed 2q README.md',
    ],
  },
  {
    names: 'awk mawk original-awk',
    manual: 'mawk(1), original-awk(1)',
    isObserved: true,
    // All implementations support these options. An implementation may ignore an unknown one and run its value as the program.
    options: {
      values: '-F',
      roles: { definition: '-v' },
      refused: '-f --file -i --include -l --load -E --exec -W',
    },
    operands: ['awk', 'opened...'],
    style: 'posix',
    examples: ["awk '{print $1}' README.md", "awk 'NR > 1' README.md", "awk -v n=1 'BEGIN { print n + 1 }'"],
  },
  {
    names: 'gawk',
    manual: 'gawk(1)',
    isObserved: true,
    options: {
      flags: '-O -P -r -S -t -c -b --posix --re-interval --sandbox --traditional --characters-as-bytes --version',
      values: '-F --field-separator',
      roles: { definition: '-v --assign' },
      refused:
        '-f --file -i --include -l --load -E --exec -o --pretty-print -p --profile -d --dump-variables -D --debug -W',
    },
    operands: ['awk', 'opened...'],
    style: 'posix',
    examples: ["gawk '{print $1}' README.md", "gawk --posix 'NR > 1' README.md"],
  },
  {
    names: 'jq',
    isObserved: true,
    manual: 'jq(1), jq 1.7',
    options: {
      flags:
        '-n -r -j -a -s -c -C -M -S -e -R -V -h --null-input --raw-output --join-output --raw-output0 --ascii-output --slurp --compact-output --color-output --monochrome-output --sort-keys --exit-status --raw-input --tab --unbuffered --stream --stream-errors --seq --args --jsonargs --build-configuration',
      values: '--indent',
      pairs: { text: '--arg --argjson', reads: '--slurpfile --rawfile' },
      // A program file or a module may import other files.
      refused: '-f --from-file -L --library-path',
    },
    operands: ['jq', 'reads...'],
    operandCases: [{ options: '-f --from-file', operands: ['reads...'] }],
    examples: ["jq '.name' package.json", "jq -r '.scripts | keys[]' package.json"],
  },
  {
    names: 'diff',
    manual: 'diff(1), GNU diffutils 3',
    isObserved: true,
    options: {
      flags:
        '-q -s -c -u -e -n -y -p -t -T -l -r -N -i -E -Z -b -w -B -a -d -H -# --normal --brief --report-identical-files --ed --rcs --side-by-side --left-column --suppress-common-lines --show-c-function --expand-tabs --initial-tab --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --text --strip-trailing-cr --minimal --speed-large-files --paginate',
      values:
        '-C -U -W -F -x -S -I -D --width --label --tabsize --show-function-line --exclude --starting-file --ignore-matching-lines --ifdef --line-format --GTYPE-group-format --horizon-lines --palette',
      attached: '--color --context --unified',
      roles: { reads: '-X --exclude-from', followed: '--from-file --to-file' },
    },
    hasOnlyHarmlessOptions: true,
    operands: ['followed...'],
    examples: ['diff README.md package.json || true', 'diff -r src src', 'diff -u README.md README.md'],
  },
  {
    names: 'cmp',
    manual: 'cmp(1), GNU diffutils 3',
    isObserved: true,
    options: {
      flags: '-b -l -s --print-bytes --verbose --quiet --silent',
      values: '-n -i --bytes --ignore-initial',
    },
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['cmp README.md README.md'],
  },
  {
    names: 'diff3',
    manual: 'diff3(1), GNU diffutils 3',
    isObserved: true,
    options: {
      flags:
        '-A -e -E -3 -x -X -m -i -a -T --merge --text --show-all --ed --easy-only --overlap-only --show-overlap --initial-tab --strip-trailing-cr',
      values: '-L --label',
      runs: '--diff-program',
    },
    operands: ['reads...'],
    examples: ['diff3 README.md README.md README.md'],
  },
  {
    names: 'isutf8',
    manual: 'isutf8(1), moreutils',
    isObserved: true,
    options: { flags: '-q -l -i -v --quiet --list --invert --verbose' },
    operands: ['reads...'],
    examples: ['isutf8 README.md'],
  },
  {
    names: 'sdiff',
    manual: 'sdiff(1)',
    isObserved: true,
    options: {
      flags:
        '-i -E -Z -b -W -B -a -l -s -t -d -H --ignore-case --ignore-tab-expansion --ignore-trailing-space ' +
        '--ignore-space-change --ignore-all-space --ignore-blank-lines --strip-trailing-cr --text --left-column ' +
        '--suppress-common-lines --expand-tabs --minimal --speed-large-files',
      values: '-I -w --tabsize --ignore-matching-lines --width',
      refused: '-o --output --diff-program',
    },
    operands: ['followed...'],
    examples: ['sdiff README.md README.md'],
  },
  {
    names: 'wdiff',
    manual: 'wdiff(1)',
    options: {
      flags: '-1 -2 -3 -a -c -i -n -p -s -t --no-deleted --no-inserted --no-common --ignore-case --statistics',
      refused: '-a --auto-pager -t --terminal',
      values: '-w -x -y -z --start-delete --end-delete --start-insert --end-insert',
    },
    operands: ['reads...'],
    examples: ['wdiff a.txt b.txt'],
  },
  {
    names: 'ul',
    manual: 'ul(1), util-linux',
    isObserved: true,
    options: { flags: '-i --indicated', roles: { terminal: '-t -T --terminal' } },
    operands: ['reads...'],
    examples: ['ul README.md'],
  },
  {
    names: 'look',
    manual: 'look(1), util-linux',
    isObserved: true,
    options: { flags: '-a -d -f --alternative --alphanum --ignore-case', values: '-t --terminate' },
    operands: ['text', 'reads'],
    examples: ['look a README.md || true'],
  },
  {
    names: 'colrm',
    manual: 'colrm(1), util-linux',
    isObserved: true,
    operands: ['number', 'number'],
    examples: ['colrm 3 5 < README.md'],
  },
  {
    names: 'col',
    manual: 'col(1), util-linux',
    isObserved: true,
    options: { flags: '-b -f -h -p -x --no-backspaces --fine --tabs --pass --spaces', values: '-l --lines' },
    examples: ['col -b < README.md'],
  },
  {
    names: 'column',
    manual: 'column(1), util-linux 2.38',
    isObserved: true,
    options: {
      flags: '-t -J -x -e -L --table --json --fillrows --table-noheadings --keep-empty-lines --table-empty-lines',
      values:
        '-c -s -o -N -R -T -H -O -E -W -C -r -i -p -l --output-width --separator --output-separator --table-columns ' +
        '--table-right --table-truncate --table-hide --table-order --table-noextreme --table-wrap --table-column ' +
        '--tree --tree-id --tree-parent --table-name --table-columns-limit',
    },
    operands: ['reads...'],
    examples: ['column -t README.md'],
  },
  {
    names: 'hexdump hd',
    isObserved: true,
    manual: 'hexdump(1)',
    options: {
      flags:
        '-b -c -C -d -o -x -v --one-byte-octal --one-byte-char --canonical --two-bytes-decimal --two-bytes-octal --two-bytes-hex --no-squeezing',
      values: '-n -s -e --length --skip --format',
      roles: { reads: '-f --format-file' },
      attached: '-L --color',
    },
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['hexdump -C README.md'],
  },
  {
    names: 'strings',
    isObserved: true,
    manual: 'strings(1), binutils',
    options: {
      // Excluded: `-d` and `-T`, which parse the file instead of reading its bytes.
      flags: '-a -f -o -w -# --all --print-file-name --include-all-whitespace',
      values: '-n -s -e -t -U --bytes --radix --encoding --output-separator --unicode',
    },
    expandsArgumentFiles: true,
    operands: ['viewed...'],
    examples: ['strings README.md', 'strings -n 8 prog'],
  },
  {
    names: 'xxd',
    isObserved: true,
    manual: 'xxd(1)',
    options: {
      flags:
        '-a -b -C -d -e -E -i -p -ps -r -u -v -plain -postscript -include -bits -uppercase -revert -autoskip -capitalize',
      values: '-c -g -l -n -o -s -cols -len -seek -groupsize -name',
    },
    style: 'single-dash',
    endsOptionsAtOperand: true,
    operands: ['reads', 'output'],
    examples: ['xxd README.md', 'xxd -p README.md'],
  },
  {
    names: 'iconv',
    manual: 'iconv(1)',
    isObserved: true,
    options: {
      flags: '-c -l -s --list --silent --verbose',
      roles: { charset: '-f -t --from-code --to-code' },
      refused: '-o --output',
    },
    operands: ['reads...'],
    examples: ['iconv -f utf-8 -t ascii//TRANSLIT README.md', 'iconv -l'],
  },
  {
    names: 'bc',
    isObserved: true,
    manual: 'bc(1), GNU bc',
    options: { flags: '-h -i -l -q -s -w -v --help --interactive --mathlib --quiet --standard --warn --version' },
    operands: ['reads...'],
    examples: ["echo '1+1' | bc"],
  },
  {
    names: 'more',
    isObserved: true,
    manual: 'more(1), util-linux',
    options: {
      flags:
        '-d -f -l -c -s -u -e -# --silent --logical --no-pause --print-over --clean-print --exit-on-eof --squeeze --plain',
      roles: { number: '-n --lines' },
    },
    operands: ['viewed...'],
    examples: ['more README.md', 'more +2 README.md'],
  },
  {
    names: 'less',
    isObserved: true,
    manual: 'less(1)',
    options: {
      flags:
        '-a -A -B -c -C -d -e -E -f -F -g -G -i -I -J -L -m -M -n -N -q -Q -r -R -s -S -u -U -V -w -W -X -~ --chop-long-lines --LINE-NUMBERS --line-numbers --RAW-CONTROL-CHARS --raw-control-chars --quit-if-one-screen --no-init --ignore-case --quit-at-eof --squeeze-blank-lines --no-lessopen -#',
      // The value must be a number: after a number or a dollar sign, `less` accepts further options in the same word.
      roles: { number: '-b -h -j -x -y -z --tabs --lines' },
    },
    operands: ['viewed...'],
    examples: ['less README.md', 'less -N README.md', 'less +G README.md'],
  },
  {
    names: 'bat batcat',
    manual: 'bat(1)',
    isObserved: true,
    options: {
      flags:
        '-A -p -pp -n -L -u -P -S --show-all --plain --number --list-languages --list-themes --no-paging --unbuffered --chop-long-lines --diagnostic',
      values:
        '-l -H -r -m --language --highlight-line --line-range --file-name --theme --style --tabs --wrap --terminal-width --italic-text --map-syntax --ignored-suffix --diff-context --strip-ansi --squeeze-limit',
      // With decorations or colours, bat marks changed lines. For that it opens the repository, which a `.git` file may place
      // in another folder.
      choices: { '--paging': 'never', '--color': 'auto never', '--decorations': 'auto never' },
      runs: '--pager',
      refused: '--generate-config-file --config-file --acknowledgements -d --diff -f --force-colorization',
    },
    operands: ['reads...'],
    examples: ['batcat -pp README.md', 'batcat --plain --paging=never README.md'],
  },
  {
    names: 'yq',
    manual: 'https://mikefarah.gitbook.io/yq',
    options: {
      flags:
        '-r -n -e -C -M -P -N -j -c --raw-output --null-input --exit-status --colors --no-colors --prettyPrint --no-doc --tojson --unwrapScalar',
      values: '-o -p -I --output-format --input-format --indent',
      roles: { yq: '--expression' },
      refused: '-i -s --inplace --in-place --split-exp --from-file --split-exp-file',
    },
    operands: ['yq', 'reads...'],
    operandCases: [{ options: '--expression', operands: ['reads...'] }],
    examples: ["yq '.a' config.yaml"],
  },
  {
    names: 'xmllint',
    manual: 'xmllint(1)',
    isObserved: true,
    options: {
      flags:
        '--noout --format --recover --html --huge --nonet --noblanks --stats --quiet --nowarning --xmlout --nocdata --oldxml10 --version',
      values: '--pretty --encode --maxmem',
      roles: { xpath: '--xpath' },
      // These options are refused, because canonical XML, validation and inclusion load files that the document names.
      refused:
        '--c14n --c14n11 --exc-c14n --output -o --shell --dtdvalid --schema --relaxng --schematron --dtdvalidfpi --catalogs --load-trace --path --xinclude --loaddtd --noent --valid',
    },
    operands: ['document...'],
    examples: ["xmllint --xpath '//item' docs/file.xml || true", 'xmllint --noout docs/file.xml'],
  },
  {
    names: 'xmlstarlet xml',
    manual: 'xmlstarlet(1)',
    isObserved: true,
    // Excluded: select, format, validate and c14n, which load files that the document type names, and edit, which takes
    // options after its operands.
    options: { flags: '-q --doc-namespace --no-doc-namespace --version' },
    subcommands: {
      el: ELEMENTS_USAGE,
      elements: ELEMENTS_USAGE,
      ls: { operands: ['document...'] },
      esc: { operands: ['text...'] },
      escape: { operands: ['text...'] },
      unesc: { operands: ['text...'] },
      unescape: { operands: ['text...'] },
      pyx: { operands: ['document...'] },
    },
    examples: ['xmlstarlet el docs/file.xml', 'xmlstarlet pyx docs/file.xml'],
  },
  {
    names: 'dos2unix unix2dos mac2unix unix2mac',
    manual: 'dos2unix(1)',
    options: { flags: '-q --quiet', attached: '-i --info' },
    requires: ['-i --info'],
    operands: ['reads...'],
    examples: ['dos2unix -i README.md'],
  },
  {
    names: 'cal ncal',
    isObserved: true,
    manual: 'cal(1)',
    options: {
      flags: '-1 -3 -h -j -M -S -y -b -C -e -N -o -p -w --one --three --monday --sunday --julian --year --twelve',
      values: '-A -B -d -H -m -s',
    },
    hasOnlyHarmlessOptions: true,
    operands: ['text...'],
    examples: ['cal', 'cal -h'],
  },
  {
    names: 'units',
    manual: 'units(1)',
    options: {
      flags:
        '-c -h -i -m -n -p -q -r -s -t -u -v -V -1 --check --compact --terse --quiet --silent --strict --verbose --exponential --one-line --round --show-factor --conformable --info',
      values: '-d -o -l --digits --output-format --locale',
      refused: '-f --file -H --history -L --log',
    },
    operands: ['text...'],
    examples: ['units quarts tablespoons'],
  },
  {
    names: 'ts errno',
    manual: 'ts(1), errno(1), moreutils',
    hasObservedHelp: true,
    options: {
      flags:
        '-p -t -e -r -a -b -F -n -q -W -l -i -s -m -S --progress --timer --eta --rate --average-rate --bytes --numeric --quiet --line-mode --list --search --search-all-locales',
      refused: '-d --watchfd -P --pidfile -R --remote -o --output',
    },
    operands: ['reads...'],
    operandCases: [{ options: '-i -s -m -S --list --search -l --search-all-locales', operands: ['text...'] }],
    examples: ['errno --list'],
  },
]
