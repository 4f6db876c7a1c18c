import { expectTypeOf, test } from 'vitest'
import type { CallScope } from './call-scope.js'
import type {
  AllowedCall,
  FoundCall,
  HookedCall,
  ParsedCall,
  RequestedCall,
  ReturnedCall,
  ReviewedCall,
  SavedCall,
  ValidatedCall,
} from './call-states.js'
import { classifyCommand } from './steps/classify-command.js'
import { findTool } from './steps/find-tool.js'
import { parseInput } from './steps/parse-input.js'
import { requirePermission } from './steps/require-permission.js'
import { runPostHooks } from './steps/run-post-hooks.js'
import { runPreHooks } from './steps/run-pre-hooks.js'
import { runTool } from './steps/run-tool.js'
import { saveCheckpoint } from './steps/save-checkpoint.js'
import { serialiseResult } from './steps/serialise-result.js'
import { validateInput } from './steps/validate-input.js'

declare const scope: CallScope
declare const requested: RequestedCall
declare const found: FoundCall
declare const parsed: ParsedCall
declare const validated: ValidatedCall
declare const hooked: HookedCall
declare const allowed: AllowedCall
declare const saved: SavedCall
declare const returned: ReturnedCall

test('each step makes the state that the next one takes', () => {
  expectTypeOf(findTool).parameter(0).toEqualTypeOf<RequestedCall>()
  expectTypeOf(findTool).returns.toEqualTypeOf<FoundCall>()
  expectTypeOf(parseInput).parameter(0).toEqualTypeOf<FoundCall>()
  expectTypeOf(parseInput).returns.toEqualTypeOf<ParsedCall | Promise<ParsedCall>>()
  expectTypeOf(validateInput).parameter(0).toEqualTypeOf<ParsedCall>()
  expectTypeOf(validateInput).returns.toEqualTypeOf<ValidatedCall | Promise<ValidatedCall>>()
  expectTypeOf(runPreHooks).parameter(0).toEqualTypeOf<ValidatedCall>()
  expectTypeOf(runPreHooks).returns.toEqualTypeOf<HookedCall | Promise<HookedCall>>()
  expectTypeOf(requirePermission).parameter(0).toEqualTypeOf<HookedCall>()
  expectTypeOf(requirePermission).returns.toEqualTypeOf<AllowedCall | Promise<AllowedCall>>()
  expectTypeOf(saveCheckpoint).parameter(0).toEqualTypeOf<AllowedCall>()
  expectTypeOf(saveCheckpoint).returns.toEqualTypeOf<SavedCall | Promise<SavedCall>>()
  expectTypeOf(runTool).parameter(0).toEqualTypeOf<SavedCall>()
  expectTypeOf(runTool).returns.toEqualTypeOf<Promise<ReturnedCall>>()
  expectTypeOf(runPostHooks).parameter(0).toEqualTypeOf<ReturnedCall>()
  expectTypeOf(runPostHooks).returns.toEqualTypeOf<ReviewedCall | Promise<ReviewedCall>>()
  expectTypeOf(serialiseResult).parameter(0).toEqualTypeOf<ReviewedCall>()
})

test('a step that is left out does not compile', () => {
  // @ts-expect-error not found yet
  parseInput(requested, () => true)
  // @ts-expect-error not parsed
  validateInput(found, scope)
  // @ts-expect-error not validated
  classifyCommand(parsed, scope)
  // @ts-expect-error not validated
  runPreHooks(parsed, scope)
  // @ts-expect-error hooks have not spoken
  requirePermission(validated, scope)
  // @ts-expect-error nobody allowed it
  saveCheckpoint(hooked, scope)
  // @ts-expect-error what it overwrites is not kept
  runTool(allowed, scope)
  // @ts-expect-error the tool has not answered
  runPostHooks(saved, scope)
  // @ts-expect-error not reviewed
  serialiseResult(returned, scope)
})

test('a step backwards does not compile, and no state can be written by hand', () => {
  // @ts-expect-error an allowed call asks nobody again
  requirePermission(allowed, scope)
  // @ts-expect-error a parsed call is not parsed again
  parseInput(parsed, () => true)
  // @ts-expect-error only the step before can make it
  const forged: AllowedCall = { ...requested, tool: found.tool, input: {} }
  expectTypeOf(forged).toEqualTypeOf<AllowedCall>()
})
