import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { analyseCommand } from '../analyse-command.js'
import type { CommandSpec, CommandUsage } from '../programs/command-spec.js'
import { splitPlainWords } from '../words/plain-words.js'
import { createAllSpecs } from './index.js'

/** A position in a read-only example at which an option can be inserted, and the usage that decides about the option. */
interface OptionPosition {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly usage: CommandUsage
}

/** Every word of these programs is text, even one that starts with a dash, or their grammar has a test of its own. */
const hasNoOptions = ({ style, checker }: CommandUsage) => style === 'data' || checker === 'test'

const SPECS = createAllSpecs()
  .flat()
  .filter((spec) => listPositions(spec).length > 0)

describe.each(SPECS)('an option that the table of $names does not list needs approval', (spec) => {
  const positions = listPositions(spec)

  test('whether it is short, long, clustered, abbreviated or longer than a listed one', () => {
    const randomOption = fc.oneof(
      fc.stringMatching(/^-[A-Za-z0-9@#:?]$/),
      fc.stringMatching(/^-[A-Za-z]{2,4}$/),
      fc.stringMatching(/^--[a-z]{2,12}(-[a-z]{2,8})?(=[a-z0-9/.]{0,8})?$/),
    )
    const property = fc.property(fc.constantFrom(...positions), randomOption, fc.nat(), (position, random, seed) => {
      for (const option of [random, misspellListed(position.usage, seed)]) {
        if (option === undefined || mayBeListed(position.usage, option)) continue
        const command = [...position.before, option, ...position.after].map(quote).join(' ')
        expect(analyseCommand(command, { cwd: '/home/dev/project' }).isReadOnly, command).toBe(false)
      }
    })
    fc.assert(property, createPropertyOptions(60))
  })
})

/** Returns the positions directly after the program and after its subcommands, in all examples that are plain words. */
function listPositions(spec: CommandSpec): readonly OptionPosition[] {
  return spec.examples.flatMap((example) => {
    const words = splitPlainWords(example)
    if (words?.[0] === undefined || !spec.names.split(' ').includes(words[0])) return []
    const positions: OptionPosition[] = []
    let usage: CommandUsage | undefined = spec
    for (let at = 1; usage !== undefined; at += 1) {
      if (!hasNoOptions(usage)) positions.push({ before: words.slice(0, at), after: words.slice(at), usage })
      const name: string | undefined = words[at]
      const subcommands: CommandUsage['subcommands'] = usage.subcommands
      usage = name !== undefined && subcommands !== undefined ? subcommands[name] : undefined
    }
    return positions
  })
}

function listOptions({ options = {} }: CommandUsage): readonly string[] {
  const { roles = {}, attachedRoles = {}, pairs = {}, choices = {}, conditionalTargets: _, ...lists } = options
  const texts = [...Object.values(lists), ...[roles, attachedRoles, pairs].flatMap((group) => Object.values(group))]
  return [...texts.flatMap((text) => (text ?? '').split(' ')), ...Object.keys(choices)].filter((name) => name !== '')
}

/** Returns a listed long option with a letter added, removed or replaced, or in upper case. */
function misspellListed(usage: CommandUsage, seed: number): string | undefined {
  const longOptions = listOptions(usage).filter((name) => name.startsWith('--'))
  const name = longOptions[seed % Math.max(1, longOptions.length)]
  if (name === undefined) return undefined
  return [`${name}x`, name.slice(0, -1), `${name.slice(0, -1)}q`, name.toUpperCase()][seed % 4]
}

/** Whether the table may accept the option, as it is written or as an abbreviation, a cluster, or a letter with its value. */
function mayBeListed(usage: CommandUsage, option: string): boolean {
  const names = listOptions(usage)
  const [name = ''] = option.split('=', 1)
  if (names.includes(name) || /^--(?:help|version)?$/.test(name)) return true
  if (usage.checker === 'cd') return /^-[LP]+$/.test(name)
  // The other checkers have lists of their own.
  if (usage.checker !== undefined && !name.startsWith('--')) return true
  if (usage.acceptsAbbreviations === true && names.some((listedName) => listedName.startsWith(name))) return true
  if (name.startsWith('--') || usage.style === 'single-dash') return false
  if (names.includes('-#') && /^-\d+$/.test(name)) return true
  const flags = (usage.options?.flags ?? '').split(' ')
  const letters = [...name.slice(1)].map((letter) => `-${letter}`)
  // After a letter that takes a value, the rest is the value.
  const lastLetter = letters.find((letter) => !flags.includes(letter))
  return lastLetter === undefined || names.includes(lastLetter)
}

function quote(word: string): string {
  return /^[\w./,:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
