import type { CommandSpec } from '../programs/command-spec.js'

/** Returns the tables of programs that print information about files without changing them. */
export const createFileSpecs = (): readonly CommandSpec[] => [
  {
    names: 'file',
    isObserved: true,
    manual: 'file(1)',
    options: {
      flags:
        '-b -c -d -E -h -i -I -k -l -L -N -n -r -s -S -v -z -Z -0 --brief --checking-printout --extension --mime --mime-type --mime-encoding --keep-going --dereference --no-dereference --no-pad --no-buffer --raw --special-files --version --uncompress --print0 --list --apple --debug',
      values: '-e -F -P --exclude --exclude-quiet --separator --parameter',
      // With `-f`, a list names further files to read, and a magic file (`-m`) can print what they contain.
      refused: '-C --compile -p --preserve-date -f --files-from -m --magic-file',
    },
    operands: ['reads...'],
    examples: ['file README.md', 'file -b package.json'],
  },
  {
    names: 'lsattr getcap filefrag namei',
    isObserved: true,
    manual: 'lsattr(1), getcap(8), filefrag(8), namei(1)',
    options: {
      flags:
        '-a -B -d -e -k -l -m -n -o -p -R -r -v -V -x -X -E --modes --owners --long --mountpoints --nosymlinks --vertical',
      attached: '-b',
    },
    operands: ['reads...'],
    recursiveOptions: '-R -r',
    readsByDefault: '.',
    examples: ['lsattr', 'namei -l README.md'],
  },
  {
    names: 'getfacl getfattr',
    isObserved: true,
    manual: 'getfacl(1), getfattr(1)',
    options: {
      flags:
        '-a -c -d -E -h -p -P -R -s -t --access --default --omit-header --all-effective --no-effective --skip-base --recursive --physical --tabular --numeric --absolute-names --dump --no-dereference --only-values --one-file-system',
      values: '--name --encoding --match',
      // `-L` follows links, and the others take a value in one program only.
      refused: '-L --logical -e -m -n',
    },
    operands: ['named...'],
    recursiveOptions: '-R --recursive',
    readsByDefault: '.',
    examples: ['getfacl --numeric src', 'getfattr -d README.md'],
  },
  {
    names: 'readelf',
    manual: 'readelf(1), binutils',
    isObserved: true,
    // Excluded: `-w`, which opens the files with debug information that the file names.
    options: {
      flags:
        '-a -A -c -C -d -D -e -g -h -H -I -l -n -N -r -s -S -t -u -V -W -z --all --file-header --program-headers --segments --section-headers --sections --headers --section-groups --syms --symbols --dyn-syms --notes --relocs --dynamic --wide --no-demangle --version-info --histogram --arch-specific --archive-index --decompress',
      values: '-p -R -x --hex-dump --string-dump --relocated-dump',
      attached: '--demangle',
    },
    expandsArgumentFiles: true,
    operands: ['object...'],
    examples: ['readelf -h prog', 'readelf -WS prog'],
  },
  {
    names: 'nm',
    manual: 'nm(1), binutils',
    isObserved: true,
    options: {
      flags:
        '-a -A -B -C -D -g -j -n -o -p -P -r -s -S -u -v -V --debug-syms --dynamic --extern-only --just-symbols --no-demangle --no-sort --numeric-sort --portability --print-armap --print-file-name --print-size --reverse-sort --size-sort --special-syms --defined-only --undefined-only --no-weak --quiet',
      values: '-f -t --format --radix --target',
      attached: '--demangle',
      // This option opens the file with debug information that the file names.
      refused: '-l --line-numbers',
      runs: '--plugin',
    },
    expandsArgumentFiles: true,
    operands: ['object...'],
    examples: ['nm prog', 'nm -D --defined-only prog'],
  },
  {
    names: 'objdump',
    manual: 'objdump(1), binutils',
    isObserved: true,
    options: {
      flags:
        '-a -C -d -D -f -F -h -p -r -R -s -t -T -V -w -x -z --headers --section-headers --syms --dynamic-syms --wide --disassemble-all --disassemble-zeroes --file-headers --full-contents --all-headers --archive-headers --private-headers --reloc --dynamic-reloc --no-show-raw-insn --show-raw-insn --no-addresses',
      values:
        '-j -m -M --section --architecture --disassembler-options --start-address --stop-address --adjust-vma --insn-width',
      attached: '--demangle --disassemble',
      // `-l` and `-S` open the files with debug information or source code that the file names; `-i` writes a temporary file.
      refused: '-i --info -l --line-numbers -S --source',
    },
    expandsArgumentFiles: true,
    operands: ['object...'],
    examples: ['objdump --file-headers prog', 'objdump -d prog'],
  },
  {
    names: 'size',
    manual: 'size(1), binutils',
    isObserved: true,
    options: { flags: '-A -B -G -d -o -t -x --common --totals', values: '--format --radix --target' },
    expandsArgumentFiles: true,
    operands: ['object...'],
    examples: ['size --format=SysV prog'],
  },
  {
    names: 'addr2line ar',
    manual: 'addr2line(1), ar(1), binutils',
    hasObservedHelp: true,
    // These programs open the files that an archive or the debug information names.
    risk: 'may read files that its operands name',
    operands: ['text...'],
    examples: [],
  },
  {
    names: 'c++filt',
    manual: 'c++filt(1), binutils',
    isObserved: true,
    options: {
      flags: '-_ -i -n -p -t --strip-underscore --no-params --no-strip-underscores --no-verbose --types',
      values: '-s --format',
    },
    expandsArgumentFiles: true,
    operands: ['text...'],
    examples: ['c++filt _Z1fv'],
  },
  {
    names: 'otool',
    manual: 'otool(1), macOS',
    options: { flags: '-a -c -d -D -f -h -I -l -L -M -o -P -r -s -S -t -T -v -V -X -x' },
    operands: ['viewed...'],
    examples: ['otool -L prog'],
  },
  {
    names: 'eza exa',
    manual: 'eza(1)',
    options: {
      flags:
        '-1 -a -A -b -B -d -D -f -F -g -G -h -H -i -l -m -M -n -o -O -r -R -S -T -u -U -x -@ -Z --oneline --long --grid --across --recurse --tree --all --almost-all --list-dirs --only-dirs --only-files --binary --bytes --group --header --links --inode --modified --numeric --blocksize --blocks --accessed --created --extended --icons --no-icons --git --git-ignore --group-directories-first --no-permissions --no-filesize --no-user --no-time --reverse --show-symlinks --no-quotes',
      values: '-L -s -t -I --level --sort --time --time-style --ignore-glob --colour --color --width',
    },
    operands: ['reads...'],
    recursiveOptions: '-T -R --tree --recurse',
    readsByDefault: '.',
    examples: ['eza -l', 'exa --tree src'],
  },
  {
    names: 'dust duf',
    manual: 'dust(1), duf(1)',
    readsByDefault: './',
    options: {
      flags:
        '-a -b -c -f -h -i -P -r -s -x --all --inodes --json --hide-loops --warnings --apparent-size --no-percent-bars --reverse',
      values:
        '-d -n -t -w -X --depth --number-of-lines --hide --only --hide-fs --only-fs --hide-mp --only-mp --sort --style --theme --output --width',
    },
    operands: ['reads...'],
    examples: ['duf --sort size', 'dust -d 1'],
  },
]
