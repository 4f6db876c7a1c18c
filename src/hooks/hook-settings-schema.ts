import * as z from 'zod'
import { lazySchema } from '../contract/lazy-schema.js'
import { HOOK_EVENTS } from './hook-events.js'
import { hookGroupSchema, jsonHookSchemas } from './hook-schemas.js'

/** The `hooks` of a settings file as a whole, for the published JSON Schema; `parseHookConfig` is more forgiving. */
export const hookSettingsSchema = lazySchema(() => {
  const hook = z.discriminatedUnion('type', [
    jsonHookSchemas.command.schema,
    jsonHookSchemas.http.schema,
    jsonHookSchemas.mcp_tool.schema,
    jsonHookSchemas.prompt.schema,
  ])
  return z.partialRecord(z.enum(HOOK_EVENTS), z.array(hookGroupSchema.schema.extend({ hooks: z.array(hook) })))
})
