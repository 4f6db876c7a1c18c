import { expect, test } from 'vitest'
import * as z from 'zod'
import type { PermissionQuestion } from '../../../calls/call-environment.js'
import { buildTool } from '../../../contract/tool/build-tool.js'
import { findQuestionFacts } from '../../../contract/tool/question-facts.js'
import type { Tool } from '../../../contract/tool/tool.js'
import { renderPlainText } from '../../../views/plain-text.js'
import type { CommandHost } from '../../io/command.js'
import { prepareQuestion } from './permission-questions.js'

const SETTINGS = { projectRoot: '/project', isTrusted: true, permissionContext: {} } as never
const HOST = { cwd: '/project', homeDir: '/home' } as CommandHost

async function questionAbout(tool: unknown): Promise<PermissionQuestion> {
  const options = { isNonInteractiveSession: false, toolPermissionContext: {} as never, tools: [] }
  return {
    ...(await findQuestionFacts({ tool: tool as Tool, input: { room: 'x' } }, options)),
    ...{ toolUseId: 't', tool: tool as Tool, input: { room: 'x' }, message: 'Send needs approval.', suggestions: [] },
    ...{ reason: { type: 'default', text: 'no rule' }, signal: new AbortController().signal, countWaiting: () => 0 },
  } as PermissionQuestion
}

test('a question about a tool without views shows how the tool describes the call', async () => {
  const tool = buildTool({
    name: 'Send',
    description: ({ room }) => `Sends a message to ${room}`,
    inputSchema: z.object({ room: z.string() }),
    call: async () => ({ data: 1 }),
    isDestructive: () => true,
  })
  const { request } = await prepareQuestion(await questionAbout(tool), HOST, SETTINGS)

  const reasons = request.reasons.map(renderPlainText)
  expect(reasons).toContain('Send: Sends a message to x')
  expect(reasons).toContain('This call may destroy data.')
  expect(renderPlainText(request.preview)).toContain('room: x')
})

test('a tool whose description fails can still be asked about', async () => {
  const tool = buildTool({
    name: 'Send',
    description: () => Promise.reject(new Error('no description')),
    prompt: 'Sends',
    inputSchema: z.object({ room: z.string() }),
    call: async () => ({ data: 1 }),
  })
  const { request } = await prepareQuestion(await questionAbout(tool), HOST, SETTINGS)

  expect(request.approvals.map(({ id }) => id)).toEqual(['once'])
})
