import { expect, test } from 'vitest'
import { call } from '../lib/headless-fixture.js'
import { collectCalls, createEditorFixture } from './editor-fixture.js'

const { at, file, writeModel, openEditor } = createEditorFixture()

async function saveSession() {
  const editor = await openEditor(await writeModel([call('Read', { file_path: file('a.txt') }), 'It says alpha.']))
  const { sessionId } = await editor.newSession()
  await editor.prompt(sessionId, 'What is in a.txt?')
  await editor.close()
  return sessionId
}

test('a loaded session is replayed before the answer: prompts, texts and calls with results', async () => {
  const sessionId = await saveSession()
  const editor = await openEditor(await writeModel(['I remember.']))

  await editor.agent.request('session/load', { sessionId, cwd: at('project'), mcpServers: [] })

  expect(editor.textOf('user_message_chunk')).toBe('What is in a.txt?')
  expect(editor.textOf('agent_message_chunk')).toBe('It says alpha.')
  expect([...collectCalls(editor).values()]).toMatchObject([{ kind: 'read', status: 'completed' }])
  expect(await editor.prompt(sessionId, 'Still there?')).toEqual({ stopReason: 'end_turn' })
  await editor.close()
})

test('a resumed session continues without a replay', async () => {
  const sessionId = await saveSession()
  const editor = await openEditor(await writeModel(['I remember.']))

  await editor.agent.request('session/resume', { sessionId, cwd: at('project'), mcpServers: [] })

  expect(editor.textOf('user_message_chunk')).toBe('')
  expect(await editor.prompt(sessionId, 'Still there?')).toEqual({ stopReason: 'end_turn' })
  await editor.close()
})

test('a fork is a new session that leaves the original as it is', async () => {
  const sessionId = await saveSession()
  const editor = await openEditor(await writeModel(['Forked.']))

  const { sessionId: forkId } = await editor.agent.request<{ sessionId: string }>('session/fork', {
    ...{ sessionId, cwd: at('project'), mcpServers: [] },
  })
  await editor.prompt(forkId, 'Go on')

  expect(forkId).not.toBe(sessionId)
  const { sessions } = await editor.agent.request('session/list', { cwd: at('project') })
  expect(sessions.map((session) => session.sessionId).toSorted()).toEqual([sessionId, forkId].toSorted())
  await editor.close()
})

test('sessions are listed, closed and deleted', async () => {
  const sessionId = await saveSession()
  const editor = await openEditor(await writeModel(['Hello.']))

  const { sessions } = await editor.agent.request('session/list', {})
  expect(sessions).toMatchObject([{ sessionId, cwd: at('project'), title: 'What is in a.txt?' }])

  await editor.agent.request('session/resume', { sessionId, cwd: at('project'), mcpServers: [] })
  await editor.agent.request('session/close', { sessionId })
  await expect(editor.prompt(sessionId, 'Hi')).rejects.toMatchObject({ code: -32002 })

  await editor.agent.request('session/delete', { sessionId })
  expect(await editor.agent.request('session/list', {})).toEqual({ sessions: [] })
  await editor.close()
})

test('an unknown session cannot be loaded', async () => {
  const editor = await openEditor(await writeModel(['Hello.']))

  await expect(
    editor.agent.request('session/load', { sessionId: 'unknown', cwd: at('project'), mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32002 })
  await editor.close()
})

test('several sessions work side by side', async () => {
  const editor = await openEditor(await writeModel(['One.', 'Two.']))
  const [first, second] = [await editor.newSession(), await editor.newSession()]

  const ends = await Promise.all([editor.prompt(first.sessionId, 'A'), editor.prompt(second.sessionId, 'B')])

  expect(ends).toEqual([{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }])
  await editor.close()
})
