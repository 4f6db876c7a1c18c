import fc from 'fast-check'
import { expect, test } from 'vitest'
import { analyseCommand } from '../src/shell/analyse-command.js'
import { createPropertyOptions } from '../src/testing/property-runs.js'
import { FIXTURE_FOLDER, readCommandRows } from './lib/bash-safety-rows.js'

const isReadOnly = (command: string) => analyseCommand(command, { cwd: FIXTURE_FOLDER, home: '/home/dev' }).isReadOnly
const harmfulCommands = [...readCommandRows('adversarial'), ...readCommandRows('benign-effect')].map(
  ({ command }) => command,
)
// Text that is added after a comment or a here-document would become a part of it.
const harmlessCommands = readCommandRows('benign-readonly')
  .filter(({ category }) => category !== 'ro_var')
  .map(({ command }) => command)
  .filter((command) => isReadOnly(command) && !/[#\n]|<<|\\$/.test(command))

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const quoteTwice = (text: string) => `"${text.replace(/[\\"$`]/g, '\\$&')}"`

/** Ways to embed a command in a line so that it still runs. */
const wrappers: readonly ((harm: string, safe: string) => string)[] = [
  (harm, safe) => `${safe} && ${harm}`,
  (harm, safe) => `${harm} && ${safe}`,
  (harm, safe) => `${safe}; ${harm}`,
  (harm, safe) => `${harm}\n${safe}`,
  (harm, safe) => `${safe}\n\n${harm}`,
  (harm, safe) => `${safe} || ${harm}`,
  (harm, safe) => `${safe} | ${harm}`,
  (harm, safe) => `${safe} |& ${harm}`,
  (harm, safe) => `${harm} | ${safe}`,
  (harm, safe) => `${safe} & ${harm}`,
  (harm, safe) => `${harm} & ${safe}`,
  (harm) => `( ${harm}\n)`,
  (harm) => `{ ${harm}\n}`,
  (harm) => `! ${harm}`,
  (harm) => `time ${harm}`,
  (harm, safe) => `if ${safe}; then ${harm}\nfi`,
  (harm, safe) => `if ${harm}\nthen ${safe}; fi`,
  (harm, safe) => `if false; then ${safe}; else ${harm}\nfi`,
  (harm) => `while ${harm}\ndo break; done`,
  (harm) => `for i in 1 2; do ${harm}\ndone`,
  (harm) => `case x in x) ${harm}\n;; esac`,
  (harm) => `echo "$(${harm}\n)"`,
  (harm) => `echo $(${harm}\n)`,
  (harm) => `cat <(${harm}\n)`,
  (harm) => `x=$(${harm}\n)`,
  (harm) => `echo \${x:-$(${harm}\n)}`,
  (harm) => `[ -n "$(${harm}\n)" ]`,
  (harm) => `cat <<E_O_F\n$(${harm}\n)\nE_O_F`,
  (harm) => `bash -c ${quote(harm)}`,
  (harm) => `sh -c ${quoteTwice(harm)}`,
  (harm) => `eval ${quote(harm)}`,
  (harm) => `timeout 5 bash -c ${quote(harm)}`,
  (harm) => `env FOO=1 nice -n 5 sh -c ${quote(harm)}`,
  (harm) => `find . -maxdepth 0 -exec sh -c ${quote(harm)} \\;`,
  (harm) => `echo x | xargs -I{} sh -c ${quote(harm)}`,
  (harm) => `bash <<'E_O_F'\n${harm}\nE_O_F`,
  (harm) => `echo ${quote(harm)} | sh`,
  (harm) => `f() { ${harm}\n}; f`,
  (harm) => `coproc { ${harm}\n}`,
  (harm) => `trap ${quote(harm)} EXIT`,
  (harm) => `  \t${harm}  `,
  (harm) => `\\\n${harm}`,
  (harm) => `command -p true;\\\n ${harm}`,
]

test('a line that contains a command with effects is never read-only', () => {
  const layers = fc.array(fc.tuple(fc.constantFrom(...wrappers), fc.constantFrom(...harmlessCommands)), {
    minLength: 1,
    maxLength: 3,
  })
  fc.assert(
    fc.property(fc.constantFrom(...harmfulCommands), layers, (harm, chosenWrappers) => {
      const line = chosenWrappers.reduce((innerLine, [wrap, safeCommand]) => wrap(innerLine, safeCommand), harm)
      expect(isReadOnly(line), line).toBe(false)
    }),
    createPropertyOptions(2_000),
  )
})

test('a command with effects is not read-only inside any wrapper', () => {
  // A fifth of the commands, to save time. The property above draws from all of them.
  const sample = harmfulCommands.filter((_, index) => index % 5 === 0)
  const misjudgedLines = sample.flatMap((harm) => wrappers.map((wrap) => wrap(harm, 'ls -la')).filter(isReadOnly))
  expect(misjudgedLines).toEqual([])
})

test('the analysis does not throw for any text', () => {
  const pieces = fc.constantFrom(
    ...'$ ( ) { } [ ] " \' ` \\ ; & | < > << <<- <<< >( <( $( $(( )) $ { } # ! ~ * ? = @ \n \r \t \0 \u2028 \u00a0 [[ ]] ls cat rm -rf a.txt find -exec {} + sed awk s/a/b/e xargs env bash -c eval cd git in do done if then fi for case esac while function EOF x=1'.split(
      ' ',
    ),
    ' ',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
    fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(' ')),
  )
  fc.assert(
    fc.property(text, (command) => {
      expect(typeof isReadOnly(command)).toBe('boolean')
    }),
    createPropertyOptions(3_000),
  )
})

test('harmless additions to a read-only command keep it read-only', () => {
  const readOnlyWrappers: readonly ((safe: string) => string)[] = [
    (safe) => `  ${safe}  `,
    (safe) => `( ${safe} )`,
    (safe) => `if ${safe}; then ls; fi`,
    (safe) => `${safe} && ls -la`,
    (safe) => `bash -c ${quote(safe)}`,
  ]
  fc.assert(
    fc.property(fc.constantFrom(...harmlessCommands), fc.constantFrom(...readOnlyWrappers), (safeCommand, wrap) => {
      expect(isReadOnly(wrap(safeCommand)), wrap(safeCommand)).toBe(true)
    }),
    createPropertyOptions(500),
  )
})
