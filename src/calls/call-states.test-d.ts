import { expectTypeOf, test } from 'vitest'
import type { Call, KnownCall } from './call.js'
import { type SavedCall, saveCheckpoint } from './steps/checkpoint.js'
import { type FoundCall, findTool } from './steps/find-tool.js'
import { type ParsedCall, parseInput, type ValidatedCall, validateInput } from './steps/parse-input.js'
import { type AllowedCall, requirePermission } from './steps/require-permission.js'
import { type ReviewedCall, runPostHooks } from './steps/run-post-hooks.js'
import { type HookedCall, runPreHooks } from './steps/run-pre-hooks.js'
import { type ReturnedCall, runTool } from './steps/run-tool.js'
import { serialiseResult } from './steps/serialise-result.js'

declare const call: Call
declare const knownCall: KnownCall
declare const foundCall: FoundCall
declare const parsedCall: ParsedCall
declare const validatedCall: ValidatedCall
declare const hookedCall: HookedCall
declare const allowedCall: AllowedCall
declare const savedCall: SavedCall
declare const returnedCall: ReturnedCall
declare const canUseTool: Parameters<typeof runTool>[1]

test('each step returns the state that the next step accepts', () => {
  expectTypeOf(findTool).parameter(0).toEqualTypeOf<Call>()
  expectTypeOf(findTool).returns.resolves.toEqualTypeOf<FoundCall>()
  expectTypeOf(parseInput).parameter(0).toEqualTypeOf<FoundCall>()
  expectTypeOf(parseInput).returns.toEqualTypeOf<ParsedCall | Promise<ParsedCall>>()
  expectTypeOf(validateInput).parameter(0).toEqualTypeOf<ParsedCall>()
  expectTypeOf(validateInput).returns.toEqualTypeOf<ValidatedCall | Promise<ValidatedCall>>()
  expectTypeOf(runPreHooks).parameter(0).toEqualTypeOf<ValidatedCall>()
  expectTypeOf(runPreHooks).returns.toEqualTypeOf<HookedCall | Promise<HookedCall>>()
  expectTypeOf(requirePermission).parameter(0).toEqualTypeOf<HookedCall>()
  expectTypeOf(requirePermission).returns.resolves.toEqualTypeOf<AllowedCall>()
  expectTypeOf(saveCheckpoint).parameter(0).toEqualTypeOf<AllowedCall>()
  expectTypeOf(saveCheckpoint).returns.toEqualTypeOf<SavedCall | Promise<SavedCall>>()
  expectTypeOf(runTool).parameter(0).toEqualTypeOf<SavedCall>()
  expectTypeOf(runTool).returns.resolves.toEqualTypeOf<ReturnedCall>()
  expectTypeOf(runPostHooks).parameter(0).toEqualTypeOf<ReturnedCall>()
  expectTypeOf(runPostHooks).returns.toEqualTypeOf<ReviewedCall | Promise<ReviewedCall>>()
  expectTypeOf(serialiseResult).parameter(0).toEqualTypeOf<ReviewedCall>()
})

test('skipping a step does not compile', () => {
  // @ts-expect-error the tool is not found yet
  parseInput({ call, tool: foundCall.tool, input: {} })
  // @ts-expect-error not parsed
  validateInput(foundCall)
  // @ts-expect-error not validated
  runPreHooks(parsedCall)
  // @ts-expect-error the hooks have not run
  requirePermission(validatedCall)
  // @ts-expect-error not allowed
  saveCheckpoint(hookedCall)
  // @ts-expect-error no checkpoint
  runTool(allowedCall, canUseTool)
  // @ts-expect-error the tool has not returned
  runPostHooks(savedCall)
  // @ts-expect-error not reviewed
  serialiseResult(returnedCall)
})

test('repeating a step does not compile, and no state can be written as a literal', () => {
  // @ts-expect-error an allowed call is not decided again
  requirePermission(allowedCall)
  // @ts-expect-error a parsed call is not parsed again
  parseInput(parsedCall)
  // @ts-expect-error only requirePermission returns it
  const forgedCall: AllowedCall = { ...knownCall }
  expectTypeOf(forgedCall).toEqualTypeOf<AllowedCall>()
})
