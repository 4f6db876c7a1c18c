import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Classifier, ClassifierRequest } from '../auto-mode/classifier.js'
import { NO_DENIALS, recordDenial } from '../auto-mode/denial-tracking.js'
import { BashTool, behaviorOf, decideOn, fakeShell, fixtureTool, NoteTool, WriteTool } from '../fixture-calls.js'

const fixedVerdict = (verdict: 'allow' | 'deny' | 'none'): Classifier => ({
  classify: () => ({ verdict, reason: 'a fixed reason' }),
})
const write = { file_path: '/elsewhere/x' }

describe('in auto mode', () => {
  test('the classifier answers what would be asked', async () => {
    const decide = (verdict: 'allow' | 'deny' | 'none') =>
      decideOn(WriteTool, write, { mode: 'auto', classifier: fixedVerdict(verdict) })

    expect(await decide('allow')).toMatchObject({
      behavior: 'allow',
      reason: { type: 'classifier', text: 'a fixed reason' },
    })
    expect(await decide('deny')).toMatchObject({
      behavior: 'deny',
      reason: { type: 'classifier', text: 'a fixed reason' },
    })
    expect(await decide('none')).toMatchObject({ behavior: 'ask', reason: { type: 'directory' } })
  })

  test('it cannot override a rule, a safety check, a hook or a question of the tool', async () => {
    const given = { mode: 'auto', classifier: fixedVerdict('allow') } as const
    expect(await behaviorOf(WriteTool, write, { ...given, rules: { deny: ['Write'] } })).toBe('deny')
    expect(await behaviorOf(WriteTool, write, { ...given, rules: { ask: ['Write'] } })).toBe('ask')
    expect(await behaviorOf(WriteTool, { file_path: '.git/config' }, given)).toBe('ask')
    expect(await behaviorOf(WriteTool, write, { ...given, hook: { behavior: 'ask' } })).toBe('ask')
  })

  test('the classifier is not asked in any other mode', async () => {
    expect(await behaviorOf(WriteTool, write, { mode: 'default', classifier: fixedVerdict('allow') })).toBe('ask')
  })

  test('the classifier sees the request and the input from the tool, and nothing else of the conversation', async () => {
    const seen: ClassifierRequest[] = []
    const classifier: Classifier = {
      classify(request) {
        seen.push(request)
        return { verdict: 'none', reason: '' }
      },
    }

    await decideOn(WriteTool, write, { mode: 'auto', classifier, userRequest: 'fix the build' })

    expect(seen).toEqual([
      {
        userRequest: 'fix the build',
        toolName: 'Write',
        input: 'write /elsewhere/x',
        effects: { isReadOnly: false, isInside: false, isFileEdit: false, network: false, areEffectsKnown: true },
      },
    ])
  })

  test('the classifier is not asked about a tool that gives it no input', async () => {
    expect(await behaviorOf(NoteTool, {}, { mode: 'auto', classifier: fixedVerdict('allow') })).toBe('ask')
  })

  test('if the classifier throws or returns an invalid answer, the user is asked or the run ends', async () => {
    const broken: Classifier[] = [
      {
        classify: () => {
          throw new Error('bug')
        },
      },
      { classify: () => Promise.reject(new Error('down')) },
      { classify: () => ({ verdict: 'sure' }) as never },
    ]
    for (const classifier of broken) {
      expect(await behaviorOf(WriteTool, write, { mode: 'auto', classifier })).toBe('ask')
      const headless = await decideOn(WriteTool, write, { mode: 'auto', classifier, canAsk: false })
      expect(headless).toMatchObject({
        behavior: 'deny',
        stopsRun: true,
        message: expect.stringMatching(/^The classifier failed\./),
      })
    }
  })

  test('after too many consecutive denials, the user is asked or the run ends', async () => {
    const denials = [1, 2, 3].reduce(recordDenial, NO_DENIALS)
    const given = { mode: 'auto', classifier: fixedVerdict('allow'), denials } as const

    expect(await behaviorOf(WriteTool, write, given)).toBe('ask')
    expect(await decideOn(WriteTool, write, { ...given, canAsk: false })).toMatchObject({
      behavior: 'deny',
      stopsRun: true,
    })
    expect(await decideOn(WriteTool, write, { ...given, denials: NO_DENIALS })).toMatchObject({ behavior: 'allow' })
  })
})

describe('a classifier that hangs', () => {
  afterEach(() => vi.useRealTimers())

  test('is aborted at its time limit, and the user is asked', async () => {
    vi.useFakeTimers()
    let signal: AbortSignal | undefined
    const classifier: Classifier = {
      classify: (_, options) => {
        signal = options.signal
        return new Promise(() => undefined)
      },
    }

    const decision = behaviorOf(WriteTool, write, { mode: 'auto', classifier, classifierTimeoutMs: 50 })
    await vi.advanceTimersByTimeAsync(50)

    expect(await decision).toBe('ask')
    expect(signal?.aborted).toBe(true)
  })
})

describe('the local rules', () => {
  const known = (text: string, more = {}) => ({
    words: text.split(' '),
    canonical: [{ text, resolvedLength: text.length }],
    ...more,
  })
  const shell = fakeShell({
    'touch x': [known('touch x', { writes: ['x'] })],
    'touch /y': [known('touch /y', { writes: ['/y'] })],
    'curl x': [known('curl x', { network: true })],
    'npm x': [known('npm x', { areEffectsKnown: false })],
    'rm -rf /': [known('rm -rf /', { areEffectsKnown: false })],
    'curl x | sh': [known('curl x', { network: true }), known('sh')],
  })
  const decide = (command: string) => behaviorOf(BashTool, { command }, { mode: 'auto', shell })

  test('allow known effects inside the working directories, deny hostile commands, and ask the user about the rest', async () => {
    const commands = ['touch x', 'touch /y', 'curl x', 'npm x', 'unknown thing', 'rm -rf /', 'curl x | sh']
    expect(await Promise.all(commands.map(decide))).toEqual(['allow', 'ask', 'ask', 'ask', 'ask', 'deny', 'deny'])
  })

  test('allow edits inside the working directories', async () => {
    expect(await behaviorOf(WriteTool, { file_path: 'a' }, { mode: 'auto' })).toBe('allow')
    expect(await behaviorOf(WriteTool, write, { mode: 'auto' })).toBe('ask')
  })
})

test('the local classifier does not allow a read-only call that may touch more than it lists', async () => {
  const more = fixtureTool('More', {
    needs: ['files'],
    isReadOnly: () => true,
    resources: () => ({ reads: [{ path: 'a' }], unknown: true }),
    toAutoClassifierInput: () => 'reads a and more',
  })
  expect(await behaviorOf(more, {}, { mode: 'auto' })).toBe('ask')
})
