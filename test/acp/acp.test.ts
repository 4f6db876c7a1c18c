import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { call } from '../lib/headless-fixture.js'
import { collectCalls, createEditorFixture } from './editor-fixture.js'

const { at, file, writeModel, writeProgram, openEditor } = createEditorFixture()

test('initialize names the version, the capabilities and a way to authenticate', async () => {
  const { initialized, close } = await openEditor(await writeModel(['Hello.']))

  expect(initialized).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: 'haft' },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, fork: {}, additionalDirectories: {} },
    },
  })
  expect(initialized.authMethods).toHaveLength(1)
  expect(await close()).toBe(0)
})

test('the answer to session/new comes before any notification about the session', async () => {
  const args = await writeModel(['Hello.'])
  const child = spawn(process.execPath, [resolve('bin/haft'), 'acp', ...args], {
    cwd: at('project'),
    env: { PATH: process.env.PATH, HOME: at('home') },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const lines: string[] = []
  let text = ''
  const received = new Promise<void>((done) => {
    child.stdout.on('data', (chunk) => {
      text += chunk
      lines.splice(0, lines.length, ...text.split('\n').filter(Boolean))
      if (lines.length >= 3) done()
    })
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  send({ id: 1, method: 'initialize', params: { protocolVersion: 1 } })
  await expect.poll(() => lines.length).toBe(1)
  send({ id: 2, method: 'session/new', params: { cwd: at('project'), mcpServers: [] } })
  await received

  expect(lines.map((line) => JSON.parse(line)).map(({ id, method }) => id ?? method)).toEqual([1, 2, 'session/update'])
  child.stdin.end()
  await once(child, 'exit')
})

test('a prompt streams its answer, names the session and ends with a stop reason', async () => {
  const editor = await openEditor(await writeModel(['Hello there.']))
  const { sessionId, modes, configOptions } = await editor.newSession()

  expect(modes?.currentModeId).toBe('default')
  expect(configOptions?.map(({ id }) => id)).toEqual(['model', 'mode'])
  expect(await editor.prompt(sessionId, 'Say hello')).toEqual({ stopReason: 'end_turn' })
  expect(editor.textOf('agent_message_chunk')).toBe('Hello there.')
  expect(editor.updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'session_info_update', title: 'Say hello' }),
  )
  expect(editor.updates.some(({ sessionUpdate }) => sessionUpdate === 'usage_update')).toBe(true)
  await editor.close()
})

test('a call shows its kind, place, input and result', async () => {
  const editor = await openEditor(await writeModel([call('Read', { file_path: file('a.txt') }), 'Done.']))
  const { sessionId } = await editor.newSession()

  await editor.prompt(sessionId, 'Read it')

  expect([...collectCalls(editor).values()]).toMatchObject([
    {
      kind: 'read',
      status: 'completed',
      locations: [{ path: file('a.txt') }],
      rawInput: { file_path: file('a.txt') },
      title: expect.stringContaining('a.txt'),
    },
  ])
  await editor.close()
})

describe('permission questions', () => {
  test('carry the command, the reason and the rules that would be saved', async () => {
    const editor = await openEditor(await writeModel([call('Bash', { command: 'touch made.txt' }), 'Done.']))
    const { sessionId } = await editor.newSession()

    expect(await editor.prompt(sessionId, 'Make it')).toEqual({ stopReason: 'end_turn' })

    expect(editor.questions).toMatchObject([
      {
        sessionId,
        toolCall: { kind: 'execute', rawInput: { command: 'touch made.txt' }, status: 'pending' },
        options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
      },
    ])
    const [question] = editor.questions
    expect(JSON.stringify(question?.toolCall.content)).toContain('touch made.txt')
    expect(question?.options[1]?.name).toContain('Bash(touch')
    expect(existsSync(file('made.txt'))).toBe(true)
    await editor.close()
  })

  test('of an edit carry the change as a diff with its place', async () => {
    const turns = [
      call('Read', { file_path: file('a.txt') }),
      call('Edit', { file_path: file('a.txt'), old_string: 'alpha', new_string: 'beta' }),
      'Done.',
    ]
    const editor = await openEditor(await writeModel(turns))
    const { sessionId } = await editor.newSession()

    await editor.prompt(sessionId, 'Change it')

    expect(editor.questions[0]?.toolCall.content).toContainEqual(
      expect.objectContaining({ type: 'diff', path: file('a.txt'), oldText: 'alpha', newText: 'beta' }),
    )
    const edit = [...collectCalls(editor).values()].at(-1)
    expect(edit).toMatchObject({ kind: 'edit', status: 'completed', locations: [{ path: file('a.txt'), line: 1 }] })
    expect(edit?.content).toContainEqual(expect.objectContaining({ type: 'diff', path: file('a.txt') }))
    expect(await readFile(file('a.txt'), 'utf8')).toBe('beta\n')
    await editor.close()
  })

  test('that are rejected leave the files as they are', async () => {
    const editor = await openEditor(await writeModel([call('Bash', { command: 'touch made.txt' }), 'Then not.']), {
      answer: () => ({ outcome: { outcome: 'selected', optionId: 'reject' } }),
    })
    const { sessionId } = await editor.newSession()

    expect(await editor.prompt(sessionId, 'Make it')).toEqual({ stopReason: 'end_turn' })

    expect([...collectCalls(editor).values()]).toMatchObject([{ status: 'failed' }])
    expect(existsSync(file('made.txt'))).toBe(false)
    await editor.close()
  })

  test('that are answered with an unknown option count as denied', async () => {
    const editor = await openEditor(await writeModel([call('Bash', { command: 'touch made.txt' }), 'Then not.']), {
      answer: () => ({ outcome: { outcome: 'selected', optionId: 'allow-99' } }),
    })
    const { sessionId } = await editor.newSession()

    await editor.prompt(sessionId, 'Make it')

    expect(existsSync(file('made.txt'))).toBe(false)
    await editor.close()
  })

  test('are withdrawn by a cancellation, which ends the prompt', async () => {
    const editor = await openEditor(await writeModel([call('Bash', { command: 'touch made.txt' }), 'Done.']), {
      answer: () => new Promise(() => {}),
    })
    const { sessionId } = await editor.newSession()
    const end = editor.prompt(sessionId, 'Make it')
    await expect.poll(() => editor.questions.length).toBe(1)

    await editor.agent.notify('session/cancel', { sessionId })

    expect(await end).toEqual({ stopReason: 'cancelled' })
    expect(existsSync(file('made.txt'))).toBe(false)
    await editor.close()
  })
})

test('a cancelled command ends with everything that it started', async () => {
  const command = `echo $$ > ${at('pid')}; sleep 1000`
  const editor = await openEditor(await writeModel([call('Bash', { command }), 'Done.']))
  const { sessionId } = await editor.newSession()
  const end = editor.prompt(sessionId, 'Wait')
  await expect.poll(() => existsSync(at('pid'))).toBe(true)

  await editor.agent.notify('session/cancel', { sessionId })

  expect(await end).toEqual({ stopReason: 'cancelled' })
  const pid = Number(await readFile(at('pid'), 'utf8'))
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
  await editor.close()
})

test('the end of the input ends running commands and the process', async () => {
  const command = `echo $$ > ${at('pid')}; sleep 1000`
  const editor = await openEditor(await writeModel([call('Bash', { command }), 'Done.']))
  const { sessionId } = await editor.newSession()
  editor.prompt(sessionId, 'Wait').catch(() => undefined)
  await expect.poll(() => existsSync(at('pid'))).toBe(true)

  expect(await editor.close()).toBe(0)

  const pid = Number(await readFile(at('pid'), 'utf8'))
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
})

test('a killed command is a failed call, and the prompt ends', async () => {
  const editor = await openEditor(await writeModel([call('Bash', { command: 'kill -9 $$' }), 'It died.']))
  const { sessionId } = await editor.newSession()

  expect(await editor.prompt(sessionId, 'Try')).toEqual({ stopReason: 'end_turn' })

  expect([...collectCalls(editor).values()]).toMatchObject([{ status: 'failed' }])
  expect(editor.textOf('agent_message_chunk')).toBe('It died.')
  await editor.close()
})

test('modes and models are changed by the editor, and unknown ones refused', async () => {
  const editor = await openEditor(await writeModel(['One.', 'Two.']))
  const { sessionId } = await editor.newSession()

  await editor.agent.request('session/set_mode', { sessionId, modeId: 'acceptEdits' })
  await editor.waitFor((update) => update.sessionUpdate === 'current_mode_update')
  const { configOptions } = await editor.agent.request('session/set_config_option', {
    ...{ sessionId, configId: 'mode', value: 'plan' },
  })

  expect(configOptions.find(({ id }) => id === 'mode')).toMatchObject({ currentValue: 'plan' })
  await expect(editor.agent.request('session/set_mode', { sessionId, modeId: 'wild' })).rejects.toThrow(/unknown mode/)
  await expect(
    editor.agent.request('session/set_config_option', { sessionId, configId: 'model', value: 'nobody/knows' }),
  ).rejects.toThrow(/provider|model/)
  await editor.close()
})

test('the plan follows the tasks of the model', async () => {
  const turns = [
    call('ToolSearch', { query: 'select:TaskCreate' }),
    call('TaskCreate', { subject: 'Look', description: 'Look around' }),
    'Done.',
  ]
  const editor = await openEditor(await writeModel(turns))
  const { sessionId } = await editor.newSession()

  await editor.prompt(sessionId, 'Plan it')

  expect(editor.updates).toContainEqual({
    sessionUpdate: 'plan',
    entries: [{ content: '#1 Look', priority: 'medium', status: 'pending' }],
  })
  await editor.close()
})

test('questions of the model are forms of the editor', async () => {
  const questions = [
    {
      question: 'Which colour?',
      header: 'Colour',
      multiSelect: false,
      options: [
        { label: 'Red', description: 'Warm' },
        { label: 'Blue', description: 'Cold' },
      ],
    },
  ]
  const script = `[() => use('AskUserQuestion', ${JSON.stringify({ questions })}), (request) => results(request).join()]`
  const editor = await openEditor(await writeProgram(script), {
    capabilities: { elicitation: { form: {} } },
    fillForm: () => ({ action: 'accept', content: { choice0: 'Blue' } }),
  })
  const { sessionId } = await editor.newSession()

  await editor.prompt(sessionId, 'Ask me')

  expect(editor.textOf('agent_message_chunk')).toContain('Blue')
  await editor.close()
})

describe('files with unsaved changes in the editor', () => {
  const capabilities = { fs: { readTextFile: true, writeTextFile: true } }

  test('are read and changed as the user sees them', async () => {
    const texts = new Map([[file('a.txt'), 'unsaved alpha\n']])
    const script = `[
      () => use('Read', { file_path: ${JSON.stringify(file('a.txt'))} }),
      () => use('Edit', { file_path: ${JSON.stringify(file('a.txt'))}, old_string: 'unsaved', new_string: 'changed' }),
      (request) => results(request)[0],
    ]`
    const editor = await openEditor(await writeProgram(script), { capabilities, texts })
    const { sessionId } = await editor.newSession()

    await editor.prompt(sessionId, 'Change it')

    expect(editor.textOf('agent_message_chunk')).toContain('unsaved alpha')
    expect(texts.get(file('a.txt'))).toBe('changed alpha\n')
    expect(await readFile(file('a.txt'), 'utf8')).toBe('alpha\n')
    await editor.close()
  })

  test('are not overwritten by a change that was planned for another text', async () => {
    const texts = new Map([[file('a.txt'), 'unsaved alpha\n']])
    const script = `[
      () => use('Read', { file_path: ${JSON.stringify(file('a.txt'))} }),
      () => use('Bash', { command: 'true' }),
      () => use('Write', { file_path: ${JSON.stringify(file('a.txt'))}, content: 'overwritten' }),
      (request) => results(request).at(-1),
    ]`
    const editor = await openEditor(await writeProgram(script), {
      capabilities,
      texts,
      answer: (request) => {
        texts.set(file('a.txt'), 'the user typed this meanwhile\n')
        const option = request.options.find(({ kind }) => kind === 'allow_once')
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } }
      },
    })
    const { sessionId } = await editor.newSession()

    await editor.prompt(sessionId, 'Change it')

    expect(texts.get(file('a.txt'))).toBe('the user typed this meanwhile\n')
    expect(editor.textOf('agent_message_chunk')).toMatch(/changed/)
    await editor.close()
  })

  test('that the editor saved are written on the disk', async () => {
    const texts = new Map([[file('a.txt'), 'alpha\n']])
    const turns = [
      call('Read', { file_path: file('a.txt') }),
      call('Write', { file_path: file('a.txt'), content: 'new\n' }),
      'Done.',
    ]
    const editor = await openEditor(await writeModel(turns), { capabilities, texts })
    const { sessionId } = await editor.newSession()

    await editor.prompt(sessionId, 'Change it')

    expect(await readFile(file('a.txt'), 'utf8')).toBe('new\n')
    expect(texts.get(file('a.txt'))).toBe('alpha\n')
    await editor.close()
  })
})

test('commands of the project are announced and expanded', async () => {
  const script = '[(request) => messagesText(request)]'
  const home = at('home', '.haft', 'commands')
  await mkdir(home, { recursive: true })
  await writeFile(`${home}/greet.md`, '---\ndescription: Greets somebody\n---\nGreet $ARGUMENTS warmly.')
  const editor = await openEditor(await writeProgram(script))
  const { sessionId } = await editor.newSession()
  const announced = await editor.waitFor(({ sessionUpdate }) => sessionUpdate === 'available_commands_update')

  await editor.prompt(sessionId, '/greet Ada')

  expect(announced).toMatchObject({
    availableCommands: expect.arrayContaining([
      expect.objectContaining({ name: 'greet', description: 'Greets somebody' }),
    ]),
  })
  expect(editor.textOf('agent_message_chunk')).toContain('Greet Ada warmly.')
  await editor.close()
})

test('attached files, links and images reach the model', async () => {
  const script = '[(request) => JSON.stringify(request.messages.at(-1).content)]'
  const editor = await openEditor(await writeProgram(script))
  const { sessionId } = await editor.newSession()

  await editor.agent.request('session/prompt', {
    sessionId,
    prompt: [
      { type: 'text', text: 'Look at' },
      { type: 'resource_link', name: 'a.txt', uri: `file://${file('a.txt')}` },
      { type: 'resource', resource: { uri: `file://${file('b.txt')}`, text: 'beta text' } },
      { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
    ],
  })

  const text = editor.textOf('agent_message_chunk')
  expect(text).toContain(`@${file('a.txt')}`)
  expect(text).toContain('beta text')
  expect(text).toContain('aGVsbG8=')
  await editor.close()
})

test('invalid requests get an error that says what is wrong', async () => {
  const editor = await openEditor(await writeModel(['Hello.']))

  await expect(editor.agent.request('session/new', { cwd: 'relative', mcpServers: [] })).rejects.toThrow(/absolute/)
  await expect(editor.prompt('nobody', 'Hi')).rejects.toMatchObject({ code: -32002 })
  await expect(editor.agent.request('session/nothing', {})).rejects.toMatchObject({ code: -32601 })
  const { sessionId } = await editor.newSession()
  await expect(editor.agent.request('session/prompt', { sessionId, prompt: [] })).rejects.toThrow(/empty/)
  await editor.close()
})

test('without a model, a session needs authentication', async () => {
  const editor = await openEditor([])

  await expect(editor.newSession()).rejects.toMatchObject({ code: -32000, message: expect.stringContaining('model') })
  await expect(editor.agent.request('authenticate', { methodId: 'environment' })).rejects.toThrow(/No model/)
  await editor.close()
})

test('a failed model is an error of the prompt, and the next prompt works', async () => {
  const script = "[() => { throw new Error('broken') }, 'Better.']"
  const editor = await openEditor(await writeProgram(script))
  const { sessionId } = await editor.newSession()

  await expect(editor.prompt(sessionId, 'Try')).rejects.toMatchObject({ code: -32603 })
  expect(await editor.prompt(sessionId, 'Again')).toEqual({ stopReason: 'end_turn' })
  await editor.close()
})
