import type { CommandSpec } from '../programs/command-spec.js'

/** Returns the tables of programs that search for files, text and installed programs, or list files. */
export const createSearchSpecs = (): readonly CommandSpec[] => [
  {
    names: 'find gfind',
    manual: 'find(1), GNU findutils 4.9',
    isObserved: true,
    checker: 'find',
    examples: [
      "find . -name '*.js'",
      'find src -type f -print0',
      "find . -path ./node_modules -prune -o -name '*.md' -print",
      'find src -name index.js -exec wc -l {} +',
      "find . -newermt '2 days ago' -type f",
    ],
  },
  {
    names: 'fd fdfind',
    manual: 'fd(1), fd 10',
    isObserved: true,
    options: {
      flags:
        '-H -I -u -s -i -g -F -a -l -p -0 -q -1 --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --list-details --full-path --print0 --quiet --show-errors --prune --one-file-system --regex --no-follow --no-hidden --ignore --strip-cwd-prefix',
      values:
        '-d -t -e -E -S -o -c -j --max-depth --min-depth --exact-depth --type --extension --exclude --size --owner --color --threads --max-results --changed-within --changed-before --format --and --path-separator --max-buffer-time --changed-after --newer --older',
      attached: '--hyperlink',
      roles: { searched: '--search-path', reads: '--ignore-file' },
      // With `--base-directory`, the other paths are relative to that folder.
      refused: '--batch-size --gen-completions --base-directory -L --follow',
      runs: '-x --exec -X --exec-batch',
    },
    operands: ['text', 'searched...'],
    readsByDefault: './',
    examples: ['fdfind README', 'fdfind -e js', 'fdfind -H env'],
  },
  {
    names: 'rg ripgrep',
    isObserved: true,
    manual: 'rg(1), ripgrep 14',
    options: {
      flags:
        '-a -b -c -F -h -H -i -I -l -n -N -o -p -P -q -s -S -U -u -uu -uuu -v -w -x -0 -. --text --byte-offset --count --count-matches --fixed-strings --with-filename --no-filename --ignore-case --files-with-matches --files-without-match --files --line-number --no-line-number --only-matching --pretty --pcre2 --quiet --case-sensitive --smart-case --multiline --multiline-dotall --unrestricted --invert-match --word-regexp --line-regexp --null --null-data --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-global --no-ignore-parent --no-ignore-exclude --no-ignore-files --no-ignore-messages --no-messages --heading --no-heading --column --no-column --json --stats --trim --no-config --passthru --passthrough --vimgrep --type-list --crlf --no-mmap --mmap --one-file-system --line-buffered --block-buffered --glob-case-insensitive --max-columns-preview --include-zero --no-unicode --binary --auto-hybrid-regex --no-require-git --stop-on-nonmatch --no-context-separator --no-pre --no-encoding --pcre2-version',
      values:
        '-A -B -C -d -e -E -g -j -m -M -r -t -T --after-context --before-context --context --max-depth --maxdepth --regexp --encoding --glob --iglob --threads --max-count --max-columns --replace --type --type-not --type-add --type-clear --sort --sortr --color --colors --context-separator --field-match-separator --field-context-separator --max-filesize --path-separator --engine --regex-size-limit --dfa-size-limit --hyperlink-format',
      roles: { reads: '-f --file --ignore-file' },
      // `-L` is refused because a link may lead outside the searched folder.
      refused: '-L --follow -z --pre-glob --search-zip --generate',
      runs: '--pre --hostname-bin',
    },
    operands: ['text', 'searched...'],
    operandCases: [{ options: '-e --regexp -f --file --files --type-list', operands: ['searched...'] }],
    readsByDefault: './',
    examples: ['rg hello', "rg -n 'function' src", 'rg -l hello'],
  },
  {
    names: 'ag',
    manual: 'ag(1)',
    options: {
      flags:
        '-a -c -D -F -H -i -l -L -o -Q -r -R -s -S -t -u -U -v -w -z -0 --all-types --all-text --count --fixed-strings --literal --files-with-matches --files-without-matches --heading --noheading --nogroup --group --hidden --ignore-case --smart-case --case-sensitive --invert-match --word-regexp --nocolor --color --numbers --nonumbers --column --only-matching --vimgrep --ackmate --null --stats --unrestricted --skip-vcs-ignores --nobreak --break --nofilename --filename --print-long-lines --list-file-types --silent --search-binary --norecurse --recurse',
      values:
        '-A -B -C -g -G -m -W --after --before --context --depth --file-search-regex --ignore --ignore-dir --max-count --width --workers',
      refused: '-f --follow -p --path-to-ignore --nopager',
      runs: '--pager',
    },
    operands: ['text', 'searched...'],
    operandCases: [{ options: '-g', operands: ['searched...'] }],
    readsByDefault: './',
    examples: ['ag -l TODO src'],
  },
  {
    names: 'tree',
    isObserved: true,
    manual: 'tree(1), tree 2',
    options: {
      flags:
        '-a -d -f -x -p -u -g -s -h -D -F -q -N -Q -r -t -c -U -v -i -A -S -n -C -X -J --noreport --dirsfirst --filesfirst --prune --inodes --device --du --si --gitignore --matchdirs --ignore-case --metafirst --nolinks --version',
      values: '-L -P -I --filelimit --charset --timefmt --sort',
      roles: { reads: '--gitfile' },
      // `--info` prints the files `.info` of this folder and the folders above it.
      refused: '-l -o -H -R -T --fromfile --output --info --infofile --hintro --houtro',
    },
    style: 'separate-values',
    operands: ['tree...'],
    operandCases: [{ options: '--gitignore', operands: ['searched...'] }],
    readsByDefault: './',
    examples: ['tree', 'tree -L 1', 'tree src --noreport'],
  },
  {
    names: 'which whereis',
    manual: 'which(1), whereis(1)',
    isObserved: true,
    options: { flags: '-a -s -b -m -u -l --all' },
    operands: ['text...'],
    examples: ['which ls'],
  },
]
