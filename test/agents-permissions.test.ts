import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentKind } from '../src/session/agents/agent-kinds.js'
import { listResults, startAgents } from './agent-fixture.js'

const ALLOW_ALL = { permissions: { mode: 'bypassPermissions' as const }, isSandboxed: true }

function createKind(fields: Partial<AgentKind> & Pick<AgentKind, 'name'>): AgentKind {
  return { description: 'A kind of the test', source: 'user', ...fields }
}

describe('permissions of agents:', () => {
  test.each(['default', 'bypassPermissions', 'acceptEdits'] as const)(
    'Explore cannot change anything in %s mode',
    async (mode) => {
      const { runAgent, requests, cwd } = await startAgents({
        permissions: { mode },
        scripts: {
          'Change something': [
            {
              calls: [
                { name: 'Bash', input: { command: 'ls' } },
                { name: 'Bash', input: { command: 'touch made' } },
                { name: 'Write', input: { file_path: 'made', content: '' } },
              ],
            },
            'I could not.',
          ],
        },
        policy: { isSandboxed: true },
      })

      await runAgent({ prompt: 'Change something.', subagent_type: 'Explore' })

      const [listResult, touchResult, writeResult] = listResults(requests[1] as never)
      expect(listResult).not.toContain('denied')
      expect(touchResult).toContain('denied')
      expect(writeResult).toContain('switched off or denied')
      expect(existsSync(join(cwd, 'made'))).toBe(false)
    },
  )

  test('a custom type named Explore cannot change anything either', async () => {
    const { runAgent, cwd } = await startAgents({
      ...ALLOW_ALL,
      kinds: [createKind({ name: 'Explore', permissionMode: 'bypassPermissions' })],
      scripts: { 'Write it': [{ calls: [{ name: 'Write', input: { file_path: 'made', content: '' } }] }, 'Done.'] },
    })

    await runAgent({ prompt: 'Write it.', subagent_type: 'explore' })

    expect(existsSync(join(cwd, 'made'))).toBe(false)
  })

  test.each([
    ['project', 'default', false],
    ['user', 'default', true],
    ['user', 'plan', false],
  ] as const)('a %s type with a looser mode than %s can use that mode: %s', async (source, mode, isWritten) => {
    const { runAgent, cwd } = await startAgents({
      permissions: { mode },
      kinds: [createKind({ name: 'editor', source, permissionMode: 'acceptEdits' })],
      scripts: { 'Write it': [{ calls: [{ name: 'Write', input: { file_path: 'made', content: '' } }] }, 'Done.'] },
    })

    await runAgent({ prompt: 'Write it.', subagent_type: 'editor' })

    expect(existsSync(join(cwd, 'made'))).toBe(isWritten)
  })

  test('a deny rule removes a type from the prompt and refuses it, ignoring case', async () => {
    const { runAgent, runtime, requests } = await startAgents({
      permissions: { deny: ['Agent(Plan)'] },
      scripts: { 'Make a plan': ['A plan.'] },
    })

    const [definition] = await runtime.definitions()
    expect(definition?.name).toBe('Agent')
    expect(definition?.description).toContain('- Explore:')
    expect(definition?.description).not.toContain('- Plan:')
    for (const subagent_type of ['Plan', 'plan']) {
      const { text, isError } = await runAgent({ prompt: 'Make a plan.', subagent_type })
      expect(isError).toBe(true)
      expect(text).toContain('Agent(Plan)')
    }
    expect(requests).toEqual([])
  })

  test('a question of a sub-agent reaches the user with the name of the agent', async () => {
    const questions: unknown[] = []
    const { runAgent, cwd } = await startAgents({
      ask: async ({ tool, agent }) => {
        questions.push({ tool: tool.name, name: agent?.name })
        return { behavior: 'allow' }
      },
      scripts: { 'Write it': [{ calls: [{ name: 'Write', input: { file_path: 'made', content: '' } }] }, 'Done.'] },
    })

    await runAgent({ prompt: 'Write it.' })

    expect(questions).toEqual([{ tool: 'Write', name: 'general-purpose' }])
    expect(existsSync(join(cwd, 'made'))).toBe(true)
  })

  test('an agent can be started in plan mode and is in plan mode itself', async () => {
    const { runAgent, cwd } = await startAgents({
      permissions: { mode: 'plan' },
      scripts: { 'Write it': [{ calls: [{ name: 'Write', input: { file_path: 'made', content: '' } }] }, 'I cannot.'] },
    })

    expect(await runAgent({ prompt: 'Write it.' })).toMatchObject({ isError: false })
    expect(existsSync(join(cwd, 'made'))).toBe(false)
  })

  test('starting an agent needs no approval even if there are deny rules for files', async () => {
    const { runAgent } = await startAgents({
      permissions: { deny: ['Read(secret/**)'] },
      scripts: { Hello: ['Hello.', 'Hello.'] },
    })

    expect(await runAgent({ prompt: 'Hello' })).toMatchObject({ isError: false })
    expect(await runAgent({ prompt: 'Hello', subagent_type: 'Explore' })).toMatchObject({ isError: false })
  })
})
