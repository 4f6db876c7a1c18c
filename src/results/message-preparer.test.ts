import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULT_MAX_RESULT_SIZE_CHARS } from '../contract/limits.js'
import { type AssistantMessage, type Message, textResult, type UserMessage } from '../contract/messages.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import { createMessagePreparer } from './message-preparer.js'
import { ReplacementLedger } from './replacement-ledger.js'

const RESULT_LIMITS: Readonly<Record<string, number>> = {
  Read: Number.POSITIVE_INFINITY,
  Bash: 30_000,
  Shell: 30_000,
  Large: 400_000,
}
const limitOf = (toolName: string | undefined) => RESULT_LIMITS[toolName ?? ''] ?? DEFAULT_MAX_RESULT_SIZE_CHARS

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'haft-prepare-'))
})
afterEach(() => rm(directory, { recursive: true }))

interface Call {
  readonly id: string
  readonly name: string
  readonly chars: number
}

function turn(calls: readonly Call[]): readonly [AssistantMessage, UserMessage] {
  return [
    { type: 'assistant', content: calls.map(({ id, name }) => ({ type: 'tool_use', id, name, input: {} })) },
    { type: 'user', content: calls.map(({ id, chars }) => textResult(id, id[0]?.repeat(chars) ?? '')) },
  ]
}

/** The ids of the results that are sent as previews. */
function listPreviewedIds(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || typeof message.content === 'string') return []
    const results = message.content.filter((part) => part.type === 'tool_result')
    return results.filter(({ content }) => String(content).startsWith('[Long result')).map((part) => part.tool_use_id)
  })
}

test('each result has the limit of its tool, by name or alias', async () => {
  const prepare = createMessagePreparer({ directory, ledger: ReplacementLedger.createInMemory(), limitOf })
  const messages = turn([
    { id: 'a', name: 'Read', chars: 60_000 },
    { id: 'b', name: 'Shell', chars: 30_001 },
    { id: 'c', name: 'Gone', chars: 50_001 },
    { id: 'd', name: 'Gone', chars: 50_000 },
  ])

  expect(listPreviewedIds(await prepare(messages))).toEqual(['b', 'c'])
})

test('the call of a result is found even if other messages are between them', async () => {
  const prepare = createMessagePreparer({ directory, ledger: ReplacementLedger.createInMemory(), limitOf })
  const [assistant, user] = turn([{ id: 'a', name: 'Bash', chars: 30_001 }])
  const attachment: Message = { type: 'attachment', kind: 'note', data: {} }

  const preparedMessages = await prepare([assistant, attachment, { type: 'user', content: 'wait' }, user])

  expect(listPreviewedIds(preparedMessages)).toEqual(['a'])
})

test('each message has its own budget for results', async () => {
  const prepare = createMessagePreparer({ directory, ledger: ReplacementLedger.createInMemory(), limitOf })
  const messages = [
    ...turn([{ id: 'a', name: 'Large', chars: 150_000 }]),
    ...turn([{ id: 'b', name: 'Large', chars: 150_000 }]),
    ...turn([
      { id: 'c', name: 'Large', chars: 90_000 },
      { id: 'd', name: 'Large', chars: 120_000 },
    ]),
  ]

  expect(listPreviewedIds(await prepare(messages))).toEqual(['d'])
})

test('content of a message other than long results stays unchanged', async () => {
  const prepare = createMessagePreparer({ directory, ledger: ReplacementLedger.createInMemory(), limitOf })
  const [assistant, user] = turn([{ id: 'a', name: 'Bash', chars: 30_001 }])
  const text = { type: 'text', text: 'and now?' } as const
  const messages: Message[] = [
    { type: 'system', content: 'be kind' },
    { type: 'user', content: 'hello' },
    assistant,
    { ...user, content: [text, ...(user.content as []), text] },
  ]

  const preparedMessages = await prepare(messages)

  expect(preparedMessages.slice(0, 3)).toEqual(messages.slice(0, 3))
  expect(preparedMessages[3]).toEqual({
    type: 'user',
    content: [text, textResult('a', expect.stringContaining('a.txt') as unknown as string), text],
  })
})

test('preparing a message again returns the same object', async () => {
  const prepare = createMessagePreparer({ directory, ledger: ReplacementLedger.createInMemory(), limitOf })
  const messages = turn([{ id: 'a', name: 'Bash', chars: 30_001 }])

  const first = await prepare(messages)
  const second = await prepare(messages)
  const third = await prepare(second)

  expect(second[1]).toBe(first[1])
  expect(third[1]).toBe(first[1])
})

test('a result in a later turn is prepared separately even if its id is reused', async () => {
  const prepare = createMessagePreparer({ directory, ledger: ReplacementLedger.createInMemory(), limitOf })
  const messages = [
    ...turn([{ id: 'call_0', name: 'Read', chars: 40_000 }]),
    ...turn([{ id: 'call_0', name: 'Bash', chars: 40_001 }]),
  ]

  const preparedMessages = await prepare(messages)

  expect(preparedMessages[1]).toEqual(messages[1])
  expect(listPreviewedIds(preparedMessages.slice(2))).toEqual(['call_0'])
})

const calls = fc.array(fc.record({ name: fc.constantFrom('Read', 'Bash', 'Large', 'Gone'), chars: fc.nat(120_000) }), {
  minLength: 1,
  maxLength: 4,
})

test('prepared results are byte-identical over 50 further requests, after reloads and changed limits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(calls, { minLength: 1, maxLength: 3 }), async (turns) => {
      const session = await mkdtemp(join(directory, 'session-'))
      const loadPreparer = async (lookUpLimit = limitOf) =>
        createMessagePreparer({
          directory: session,
          ledger: await ReplacementLedger.load({ directory: session }),
          limitOf: lookUpLimit,
        })
      const history = turns.flatMap((calls, t) => turn(calls.map((call, c) => ({ id: `${t}_${c}`, ...call }))))
      let prepare = await loadPreparer()
      const sentText = JSON.stringify(await prepare(history))

      for (let request = 1; request <= 50; request++) {
        // A new process has new objects, and its tools may have changed.
        if (request % 10 === 0) prepare = await loadPreparer(() => (request % 20 === 0 ? 1 : Number.POSITIVE_INFINITY))
        const currentHistory = request % 5 === 0 ? structuredClone(history) : history
        const laterTurn = turn([{ id: `later_${request}`, name: 'Bash', chars: 10 }])

        const preparedMessages = await prepare([...currentHistory, ...laterTurn])

        expect(JSON.stringify(preparedMessages.slice(0, history.length)) === sentText).toBe(true)
      }
    }),
    createPropertyOptions(10),
  )
})

test('a history that was stored as it was sent yields the same bytes after a reload', async () => {
  const history = turn([
    { id: 'a', name: 'Bash', chars: 30_001 },
    { id: 'b', name: 'Bash', chars: 0 },
  ])
  const first = createMessagePreparer({ directory, ledger: await ReplacementLedger.load({ directory }), limitOf })
  const sentText = JSON.stringify(await first(history))

  const second = createMessagePreparer({
    directory,
    ledger: await ReplacementLedger.load({ directory }),
    limitOf: () => 1,
  })

  expect(JSON.stringify(await second(JSON.parse(sentText)))).toBe(sentText)
})
