import { afterEach, expect, test } from 'vitest'
import * as z from 'zod'
import { buildTool } from '../contract/build-tool.js'
import { lazySchema } from '../contract/lazy-schema.js'
import { createToolRuntime } from './create-tool-runtime.js'
import type { HaftRuntime } from './haft-runtime.js'

let runtime: HaftRuntime | undefined
afterEach(() => runtime?.dispose())

function runtimeWith(build: () => z.ZodObject): HaftRuntime {
  const tool = buildTool({
    name: 'Probe',
    description: () => 'Tells of its schema',
    prompt: () => 'A tool for a test.',
    inputSchema: lazySchema(build),
    call: async () => ({ data: 'called' }),
  })
  runtime = createToolRuntime({ tools: [tool] })
  return runtime
}

test('the schema of a call that may come is built before it comes, and once', () => {
  let built = 0
  const { expectCall } = runtimeWith(() => {
    built++
    return z.strictObject({})
  })
  const before = built
  expectCall('Probe')
  expectCall('Probe')

  expect([before, built]).toEqual([0, 1])
})

test('a hint ends nothing: not for a schema that cannot be built, nor for a tool that is not there', () => {
  const { expectCall } = runtimeWith(() => {
    throw new Error('No schema today.')
  })

  expect(() => expectCall('Probe')).not.toThrow()
  expect(() => expectCall('Nobody')).not.toThrow()
})
