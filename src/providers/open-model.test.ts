import { describe, expect, test } from 'vitest'
import { startModelServer } from '../testing/models/server/start-model-server.js'
import { NoModelError } from './choose-model.js'
import type { ModelSettings } from './model-settings.js'
import { openModel } from './open-model.js'

async function openFacts(env: Record<string, string>, settings: ModelSettings = {}, name?: string) {
  const { id, provider, facts } = await openModel({ name, settings, env })
  return { id, provider, defers: facts.supportsDeferLoading ?? false }
}

/** Returns the first request that the model sends. */
async function captureFirstRequest(
  env: (url: string) => Record<string, string>,
  settings: (url: string) => ModelSettings = () => ({}),
) {
  const server = await startModelServer([{ parts: [{ text: 'ok' }] }])
  try {
    const model = await openModel({ settings: settings(server.url), env: env(server.url) })
    const request = { system: [], tools: [], builtInTools: 0, messages: [{ type: 'user' as const, content: 'Hi' }] }
    for await (const _ of model.stream(request, { signal: new AbortController().signal }));
    return server.requests[0]
  } finally {
    await server.close()
  }
}

const BOTH_KEYS = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }

describe('openModel', () => {
  test('uses the provider whose key is set by default', async () => {
    expect(await openFacts({ ANTHROPIC_API_KEY: 'a' })).toEqual({
      id: 'claude-sonnet-5-5',
      provider: 'anthropic',
      defers: true,
    })
    expect(await openFacts({ ANTHROPIC_AUTH_TOKEN: 't' })).toMatchObject({ provider: 'anthropic' })
    expect(await openFacts({ OPENAI_API_KEY: 'o' })).toEqual({ id: 'gpt-5.6-sol', provider: 'openai', defers: false })
    expect(await openFacts(BOTH_KEYS)).toMatchObject({ provider: 'anthropic' })
  })

  test('prefers the name in the call to the settings, and the settings to HAFT_MODEL', async () => {
    const env = { ...BOTH_KEYS, HAFT_MODEL: 'claude-from-env' }

    expect(await openFacts(env)).toMatchObject({ id: 'claude-from-env' })
    expect(await openFacts(env, { model: 'claude-from-settings' })).toMatchObject({ id: 'claude-from-settings' })
    expect(await openFacts(env, { model: 'claude-from-settings' }, 'claude-by-name')).toMatchObject({
      id: 'claude-by-name',
    })
  })

  test('selects Anthropic for names that start with claude if both keys are set', async () => {
    expect(await openFacts(BOTH_KEYS, {}, 'claude-opus-5')).toMatchObject({
      id: 'claude-opus-5',
      provider: 'anthropic',
    })
    expect(await openFacts(BOTH_KEYS, {}, 'gpt-5')).toMatchObject({ id: 'gpt-5', provider: 'openai' })
    expect(await openFacts(BOTH_KEYS, {}, 'openai/claude-like')).toMatchObject({
      id: 'claude-like',
      provider: 'openai',
    })
  })

  test.each(['scripted:/nowhere.mjs', ' replay:/nowhere.jsonl', 'scripted:a\nb.mjs'])(
    'refuses to load the file of %j if only served models are accepted',
    async (name) => {
      const opening = openModel({ name, settings: {}, env: BOTH_KEYS, served: true })

      await expect(opening).rejects.toThrow(/Only the user can choose such a model/)
    },
  )

  test('opens the newest model of a family for a short name such as sonnet', async () => {
    expect(await openFacts(BOTH_KEYS, {}, 'sonnet')).toMatchObject({ id: 'claude-sonnet-5-5', provider: 'anthropic' })
    expect(await openFacts(BOTH_KEYS, {}, 'haiku')).toMatchObject({ id: 'claude-haiku-5-5', provider: 'anthropic' })
    await expect(openFacts({ OPENAI_API_KEY: 'o' }, {}, 'opus')).rejects.toThrow(NoModelError)
  })

  test('chooses a provider from the settings by its name', async () => {
    const providers = { home: { type: 'openai' as const, baseUrl: 'http://127.0.0.1:11434/v1' } }

    expect(await openFacts(BOTH_KEYS, { providers }, 'home/qwen3:8b')).toMatchObject({
      id: 'qwen3:8b',
      provider: 'home',
    })
    expect(await openFacts({}, { providers }, 'org/qwen3')).toMatchObject({ id: 'org/qwen3', provider: 'home' })
  })

  test('lets a proxy serve models of other vendors', async () => {
    const env = { OPENAI_BASE_URL: 'https://router.example/v1', OPENAI_API_KEY: 'o' }

    expect(await openFacts(env, {}, 'claude-x')).toMatchObject({ id: 'claude-x', provider: 'openai' })
  })

  test('keeps a provider prefix in the model name if OPENAI_BASE_URL names a router', async () => {
    const env = { OPENAI_BASE_URL: 'https://router.example/v1', OPENAI_API_KEY: 'o' }

    expect(await openFacts(env, {}, 'anthropic/claude-x')).toMatchObject({
      id: 'anthropic/claude-x',
      provider: 'openai',
    })
  })
})

describe('without a usable model', () => {
  test.each([
    ['nothing is set', {}, {}, undefined, /ANTHROPIC_API_KEY or OPENAI_API_KEY/],
    ['variables are empty', { ANTHROPIC_API_KEY: ' ', OPENAI_API_KEY: '' }, {}, undefined, /ANTHROPIC_API_KEY/],
    ['the provider has no key', { OPENAI_API_KEY: 'o' }, {}, 'anthropic/claude-opus-5', /Set ANTHROPIC_API_KEY/],
    ['the model is Anthropic’s', { OPENAI_API_KEY: 'o' }, {}, 'claude-opus-5', /Set ANTHROPIC_API_KEY/],
    ['the model is OpenAI’s', { ANTHROPIC_API_KEY: 'a' }, {}, 'gpt-5', /Set OPENAI_API_KEY/],
    ['the server has no default model', { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, {}, undefined, /HAFT_MODEL/],
    ['the URL is invalid', { OPENAI_BASE_URL: 'localhost:1' }, {}, 'x', /OPENAI_BASE_URL/],
    [
      'the variable for the key is not set',
      {},
      { providers: { work: { type: 'anthropic', apiKeyEnv: 'WORK_KEY' } } },
      'work/claude-opus-5',
      /Set WORK_KEY/,
    ],
    [
      'the type of a provider is unknown',
      BOTH_KEYS,
      { providers: { x: { type: 'gopher' } } },
      undefined,
      /"anthropic" or "openai"/,
    ],
    [
      'a context window is negative',
      BOTH_KEYS,
      { models: { x: { contextWindow: -1 } } },
      undefined,
      /numbers of tokens/,
    ],
    ['prices are incomplete', BOTH_KEYS, { models: { x: { prices: { input: 1 } } } }, undefined, /dollars/],
    [
      'the URL in the settings is invalid',
      BOTH_KEYS,
      { providers: { x: { type: 'openai', baseUrl: 'ftp://x' } } },
      undefined,
      /baseUrl/,
    ],
  ])('a one-line message says what to set if %s', async (_, env, settings, name, message) => {
    const opening = openModel({ name, settings: settings as ModelSettings, env })

    await expect(opening).rejects.toBeInstanceOf(NoModelError)
    await expect(opening).rejects.toThrow(message)
    await expect(opening).rejects.not.toThrow(/\n/)
  })
})

describe('for an opened model,', () => {
  test('deferred tools are used by default only with the vendor’s own API', async () => {
    const env = { ANTHROPIC_API_KEY: 'a', ANTHROPIC_BASE_URL: 'https://api.anthropic.com.example' }
    const models = { 'claude-opus-5': { supportsDeferLoading: true } }

    const explicitVariables = { ANTHROPIC_API_KEY: 'a', ANTHROPIC_BASE_URL: 'https://api.anthropic.com/' }

    expect(await openFacts(explicitVariables, {}, 'claude-opus-5')).toMatchObject({ defers: true })
    expect(await openFacts(env, {}, 'claude-opus-5')).toMatchObject({ defers: false })
    expect(await openFacts(env, { models }, 'claude-opus-5')).toMatchObject({ defers: true })
    expect(await openFacts({ ANTHROPIC_API_KEY: 'a' }, {}, 'claude-haiku-4-5')).toMatchObject({ defers: false })
  })

  test('the settings can declare that a provider supports deferred tools', async () => {
    const providers = {
      proxy: { type: 'anthropic' as const, baseUrl: 'https://proxy.example', apiKey: 'p', supportsDeferLoading: true },
    }

    expect(await openFacts({}, { providers }, 'proxy/claude-opus-5')).toMatchObject({ defers: true })
  })

  test('facts from the settings are used', async () => {
    const models = { 'my-model': { contextWindow: 4096 }, 'openai/my-model': { maxOutputTokens: 99 } }

    const model = await openModel({ name: 'my-model', settings: { models }, env: { OPENAI_API_KEY: 'o' } })

    expect(model.facts).toMatchObject({ contextWindow: 4096, maxOutputTokens: 99 })
  })
})

describe('API keys', () => {
  test('are sent to the server that they were set for', async () => {
    const request = await captureFirstRequest((url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'the-key\n' }))

    expect(JSON.stringify(request?.headers)).toMatch(/the-key"/)
  })

  test('are not sent to a server from the settings if they come from standard variables', async () => {
    const request = await captureFirstRequest(
      () => ({ ANTHROPIC_API_KEY: 'the-key' }),
      (url) => ({ model: 'other/claude', providers: { other: { type: 'anthropic', baseUrl: url } } }),
    )

    expect(JSON.stringify(request?.headers)).not.toMatch(/the-key/)
  })

  test('are read from the variable that the provider names', async () => {
    const request = await captureFirstRequest(
      () => ({ ANTHROPIC_API_KEY: 'the-key', WORK_KEY: 'work-key' }),
      (url) => ({
        model: 'work/claude',
        providers: { work: { type: 'anthropic', baseUrl: url, apiKeyEnv: 'WORK_KEY' } },
      }),
    )

    expect(JSON.stringify(request?.headers)).toMatch(/work-key/)
    expect(JSON.stringify(request?.headers)).not.toMatch(/the-key/)
  })
})
