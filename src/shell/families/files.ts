import type { CommandSpec } from '../programs/command-spec.js'

/** Programs that print information about files without changing them. */
export const files: readonly CommandSpec[] = [
  {
    names: 'file',
    isObserved: true,
    manual: 'file(1)',
    options: {
      flags:
        '-b -c -d -E -h -i -I -k -l -L -N -n -r -s -S -v -z -Z -0 --brief --checking-printout --extension --mime --mime-type --mime-encoding --keep-going --dereference --no-dereference --no-pad --no-buffer --raw --special-files --version --uncompress --print0 --list --apple --debug',
      values: '-e -F -P --exclude --exclude-quiet --separator --parameter',
      roles: { reads: '-f -m --files-from --magic-file' },
      refused: '-C --compile -p --preserve-date',
    },
    operands: ['reads...'],
    examples: ['file README.md', 'file -b package.json'],
  },
  {
    names: 'lsattr getfacl getfattr getcap filefrag namei',
    isObserved: true,
    manual: 'lsattr(1), getfacl(1), getfattr(1), getcap(8), filefrag(8), namei(1)',
    options: {
      flags:
        '-a -b -B -c -d -e -h -k -l -m -n -o -p -P -R -r -s -t -v -V -x -X -E -L -N --access --default --omit-header --all-effective --no-effective --skip-base --recursive --logical --physical --tabular --numeric --absolute-names --dump --no-dereference --only-values --modes --owners --long --mountpoints --nosymlinks --vertical',
      values: '--name --encoding --match',
      attached: '-b',
    },
    operands: ['reads...'],
    treeWith: '-R -r --recursive',
    readsByDefault: '.',
    examples: ['getfacl -n src', 'lsattr', 'namei -l README.md'],
  },
  {
    names: 'readelf nm objdump size addr2line c++filt',
    manual: 'binutils',
    hasObservedHelp: true,
    options: {
      flags:
        '-a -A -b -B -c -C -d -D -e -f -F -g -G -h -H -i -I -l -L -n -N -o -p -P -r -R -s -t -T -u -U -v -V -w -W -x -X -z --all --file-header --program-headers --segments --section-headers --sections --headers --syms --symbols --dyn-syms --notes --relocs --dynamic --wide --demangle --defined-only --undefined-only --extern-only --dynamic --disassemble-all --file-headers --no-demangle --no-sort --reverse-sort --print-file-name --full-contents --all-headers --archive-headers --private-headers --reloc --dynamic-reloc --no-show-raw-insn --line-numbers --stabs --numeric-sort --size-sort --print-size --totals --version-info --histogram --arch-specific',
      // `@file` reads options from that file, and one option loads a library.
      roles: {
        viewed:
          '-j -m -M -x -p --section --architecture --disassembler-options --start-address --stop-address --hex-dump --string-dump --target --radix --format --exe',
      },
      attached: '--disassemble',
    },
    operands: ['viewed...'],
    examples: ['readelf -h prog', 'objdump --file-headers prog', 'size --format=SysV prog'],
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
        '-1 -a -A -b -B -d -D -f -F -g -G -h -H -i -l -m -M -n -o -O -r -R -S -T -u -U -x -X -@ -Z --oneline --long --grid --across --recurse --tree --all --almost-all --list-dirs --only-dirs --only-files --binary --bytes --group --header --links --inode --modified --numeric --blocksize --blocks --accessed --created --extended --icons --no-icons --git --git-ignore --group-directories-first --no-permissions --no-filesize --no-user --no-time --reverse --dereference --show-symlinks --no-quotes',
      values: '-L -s -t -I --level --sort --time --time-style --ignore-glob --colour --color --width',
    },
    operands: ['reads...'],
    treeWith: '-T -R --tree --recurse',
    readsByDefault: '.',
    examples: ['eza -l', 'exa --tree src'],
  },
  {
    names: 'dust duf',
    manual: 'dust(1), duf(1)',
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
