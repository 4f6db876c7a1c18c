import { expectTypeOf, test } from 'vitest'
import type { Call, KnownCall } from './call.js'
import { type SavedCall, saveCheckpoint } from './steps/checkpoint.js'
import { type FoundCall, findTool } from './steps/find-tool.js'
import { type ParsedCall, parseInput } from './steps/parse-input.js'
import { type AllowedCall, requirePermission } from './steps/require-permission.js'
import { type ReviewedCall, runPostHooks } from './steps/run-post-hooks.js'
import { type HookedCall, runPreHooks } from './steps/run-pre-hooks.js'
import { type ReturnedCall, runTool } from './steps/run-tool.js'
import { serialiseResult } from './steps/serialise-result.js'
import { type ValidatedCall, validateInput } from './steps/validate-input.js'

declare const call: Call
declare const known: KnownCall
declare const found: FoundCall
declare const parsed: ParsedCall
declare const validated: ValidatedCall
declare const hooked: HookedCall
declare const allowed: AllowedCall
declare const saved: SavedCall
declare const returned: ReturnedCall
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
  parseInput({ call, tool: found.tool, input: {} })
  // @ts-expect-error not parsed
  validateInput(found)
  // @ts-expect-error not validated
  runPreHooks(parsed)
  // @ts-expect-error the hooks have not run
  requirePermission(validated)
  // @ts-expect-error not allowed
  saveCheckpoint(hooked)
  // @ts-expect-error no checkpoint
  runTool(allowed, canUseTool)
  // @ts-expect-error the tool has not returned
  runPostHooks(saved)
  // @ts-expect-error not reviewed
  serialiseResult(returned)
})

test('repeating a step does not compile, and no state can be written as a literal', () => {
  // @ts-expect-error an allowed call is not decided again
  requirePermission(allowed)
  // @ts-expect-error a parsed call is not parsed again
  parseInput(parsed)
  // @ts-expect-error only requirePermission returns it
  const forged: AllowedCall = { ...known }
  expectTypeOf(forged).toEqualTypeOf<AllowedCall>()
})
