import type { CommandSpec } from '../command-spec.js'

/** GNU coreutils, from their manual. */
export const coreutils: readonly CommandSpec[] = [
  {
    names: 'cat',
    manual: 'cat(1)',
    isObserved: true,
    options: {
      flags:
        '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting',
    },
    abbreviates: true,
    hasOnlyHarmlessOptions: true,
    operands: ['reads...'],
    examples: ['cat README.md', 'cat -A README.md', 'cat -n src/index.js'],
  },
]
