import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { openToolSession } from './open-tool-session.js'

let folder = ''
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-session-')))
})
afterEach(() => rm(folder, { recursive: true }))

const AskTool = buildTool({
  name: 'AskModel',
  description: 'Asks the model',
  needs: ['model'],
  inputSchema: z.strictObject({}),
  isReadOnly: () => true,
  async call(_, { model }) {
    return { data: await model.complete({ prompt: 'How are you?' }) }
  },
})

test('a tool calls the model through the model port that the command passes', async () => {
  const io = { variables: {}, platform: 'linux', err: () => undefined } as unknown as CommandIo
  const host = { cwd: folder, homeDir: folder, isRoot: false } as CommandHost
  const modelPort = { complete: async ({ prompt }: { prompt: string }) => `You said: ${prompt}` }
  const values = { trust: false, 'allowed-tools': ['AskModel'] }
  const session = await openToolSession(io, host, { values, tools: [AskTool], modelPort })

  const { results } = session.runtime.run([{ type: 'tool_use', id: '1', name: 'AskModel', input: {} }])
  const resultText = JSON.stringify(await results)
  await session.dispose()

  expect(resultText).toContain('You said: How are you?')
})
