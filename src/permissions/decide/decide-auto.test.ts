import { afterEach, describe, expect, test, vi } from 'vitest'
import { toKnownWord } from '../../shell/words/shell-word.js'
import type { Classifier, ClassifierRequest } from '../auto-mode/classifier.js'
import { NO_DENIALS, recordDenial } from '../auto-mode/denial-tracking.js'
import {
  BashTool,
  behaviorOf,
  createFakeShell,
  createFixtureTool,
  decideOn,
  NoteTool,
  WriteTool,
} from '../fixture-calls.js'

const createFixedClassifier = (verdict: 'allow' | 'deny' | 'none'): Classifier => ({
  classify: () => ({ verdict, reason: 'a fixed reason' }),
})
const outsideWrite = { file_path: '/elsewhere/x' }

describe('in auto mode', () => {
  test('the classifier answers questions in place of the user', async () => {
    const decide = (verdict: 'allow' | 'deny' | 'none') =>
      decideOn(WriteTool, outsideWrite, { mode: 'auto', classifier: createFixedClassifier(verdict) })

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

  test('the classifier cannot override a rule, a safety check, a hook or a question of the tool', async () => {
    const options = { mode: 'auto', classifier: createFixedClassifier('allow') } as const
    expect(await behaviorOf(WriteTool, outsideWrite, { ...options, rules: { deny: ['Write'] } })).toBe('deny')
    expect(await behaviorOf(WriteTool, outsideWrite, { ...options, rules: { ask: ['Write'] } })).toBe('ask')
    expect(await behaviorOf(WriteTool, { file_path: '.git/config' }, options)).toBe('ask')
    expect(await behaviorOf(WriteTool, outsideWrite, { ...options, hook: { behavior: 'ask' } })).toBe('ask')
  })

  test('neither a mode, a classifier nor a hook answers for a user whom the call needs', async () => {
    const needsUser = createFixtureTool('Sign', {
      requiresUserInteraction: () => true,
      toAutoClassifierInput: () => 'sign',
    })
    const classifier = createFixedClassifier('allow')

    expect(await behaviorOf(needsUser, {}, { mode: 'auto', classifier })).toBe('ask')
    expect(await behaviorOf(needsUser, {}, { mode: 'bypassPermissions' })).toBe('ask')
    expect(await behaviorOf(needsUser, {}, { mode: 'default', hook: { behavior: 'allow' } })).toBe('ask')
    expect(await behaviorOf(needsUser, {}, { mode: 'default', rules: { allow: ['Sign'] } })).toBe('allow')
  })

  test('a read-only tool that calls itself destructive needs approval, and the local rules have no opinion on it', async () => {
    const confused = createFixtureTool('Wipe', {
      isReadOnly: () => true,
      isDestructive: () => true,
      toAutoClassifierInput: () => 'wipe',
    })

    expect(await behaviorOf(confused, {}, { mode: 'default' })).toBe('ask')
    expect(await behaviorOf(confused, {}, { mode: 'auto' })).toBe('ask')
  })

  test('the classifier is not asked in any other mode', async () => {
    expect(
      await behaviorOf(WriteTool, outsideWrite, { mode: 'default', classifier: createFixedClassifier('allow') }),
    ).toBe('ask')
  })

  test('the classifier receives the request and the input from the tool, and nothing else of the conversation', async () => {
    const requests: ClassifierRequest[] = []
    const classifier: Classifier = {
      classify(request) {
        requests.push(request)
        return { verdict: 'none', reason: '' }
      },
    }

    await decideOn(WriteTool, outsideWrite, { mode: 'auto', classifier, userRequest: 'fix the build' })

    expect(requests).toEqual([
      {
        userRequest: 'fix the build',
        toolName: 'Write',
        input: 'write /elsewhere/x',
        effects: {
          isReadOnly: false,
          isDestructive: false,
          isInside: false,
          isFileEdit: false,
          network: false,
          areEffectsKnown: true,
        },
      },
    ])
  })

  test('the classifier is not asked about a tool that provides no input for it', async () => {
    expect(await behaviorOf(NoteTool, {}, { mode: 'auto', classifier: createFixedClassifier('allow') })).toBe('ask')
  })

  test('the user is asked, or the run ends, if the classifier throws or answers with an invalid value', async () => {
    const brokenClassifiers: Classifier[] = [
      {
        classify: () => {
          throw new Error('bug')
        },
      },
      { classify: () => Promise.reject(new Error('down')) },
      { classify: () => ({ verdict: 'sure' }) as never },
    ]
    for (const classifier of brokenClassifiers) {
      expect(await behaviorOf(WriteTool, outsideWrite, { mode: 'auto', classifier })).toBe('ask')
      const headlessDecision = await decideOn(WriteTool, outsideWrite, { mode: 'auto', classifier, canAsk: false })
      expect(headlessDecision).toMatchObject({
        behavior: 'deny',
        stopsRun: true,
        message: expect.stringMatching(/^The classifier failed\./),
      })
    }
  })

  test('the user is asked, or the run ends, after too many consecutive denials', async () => {
    const denials = [1, 2, 3].reduce(recordDenial, NO_DENIALS)
    const options = { mode: 'auto', classifier: createFixedClassifier('allow'), denials } as const

    expect(await behaviorOf(WriteTool, outsideWrite, options)).toBe('ask')
    expect(await decideOn(WriteTool, outsideWrite, { ...options, canAsk: false })).toMatchObject({
      behavior: 'deny',
      stopsRun: true,
    })
    expect(await decideOn(WriteTool, outsideWrite, { ...options, denials: NO_DENIALS })).toMatchObject({
      behavior: 'allow',
    })
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

    const decision = behaviorOf(WriteTool, outsideWrite, { mode: 'auto', classifier, classifierTimeoutMs: 50 })
    // The extra millisecond is for the turn of the event loop that `waitAtMost` grants after the limit.
    await vi.advanceTimersByTimeAsync(51)

    expect(await decision).toBe('ask')
    expect(signal?.aborted).toBe(true)
  })
})

describe('the local rules of auto mode', () => {
  const createCommandPart = (text: string, members = {}) => ({
    words: text.split(' '),
    argv: text.split(' ').map(toKnownWord),
    ...members,
  })
  const shell = createFakeShell({
    'touch x': [createCommandPart('touch x', { writes: ['x'] })],
    'touch /y': [createCommandPart('touch /y', { writes: ['/y'] })],
    'curl x': [createCommandPart('curl x', { network: true })],
    'npm x': [createCommandPart('npm x', { areEffectsKnown: false })],
    'rm -rf /': [createCommandPart('rm -rf /', { areEffectsKnown: false })],
    'curl x | sh': [createCommandPart('curl x', { network: true }), createCommandPart('sh')],
  })
  const decide = (command: string) => behaviorOf(BashTool, { command }, { mode: 'auto', shell })

  test('allow known effects inside the working directories, deny hostile commands, and ask the user about the rest', async () => {
    const commands = ['touch x', 'touch /y', 'curl x', 'npm x', 'unknown thing', 'rm -rf /', 'curl x | sh']
    expect(await Promise.all(commands.map(decide))).toEqual(['allow', 'ask', 'ask', 'ask', 'ask', 'deny', 'deny'])
  })

  test('allow edits inside the working directories', async () => {
    expect(await behaviorOf(WriteTool, { file_path: 'a' }, { mode: 'auto' })).toBe('allow')
    expect(await behaviorOf(WriteTool, outsideWrite, { mode: 'auto' })).toBe('ask')
  })
})

test('the local classifier does not allow a read-only call that may use more files than it lists', async () => {
  const openEndedTool = createFixtureTool('More', {
    needs: ['files'],
    isReadOnly: () => true,
    resources: () => ({ reads: [{ path: 'a' }], unknown: true }),
    toAutoClassifierInput: () => 'reads a and more',
  })
  expect(await behaviorOf(openEndedTool, {}, { mode: 'auto' })).toBe('ask')
})
