import * as z from 'zod'
import { PERMISSION_MODES } from '../../contract/permission/context.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import { lazySchema } from '../../contract/schema.js'

const schema = lazySchema(() => {
  const destination = z.enum(['session', 'localSettings', 'projectSettings', 'userSettings'])
  return z.discriminatedUnion('type', [
    z.object({
      type: z.enum(['addRules', 'replaceRules', 'removeRules']),
      destination,
      behavior: z.enum(['allow', 'deny', 'ask']),
      rules: z.array(z.string()),
    }),
    z.object({ type: z.literal('setMode'), destination, mode: z.enum(PERMISSION_MODES) }),
    z.object({
      type: z.enum(['addDirectories', 'removeDirectories']),
      destination,
      directories: z.array(z.string().min(1)),
    }),
  ])
})

/** Returns why an update is invalid; undefined if it is valid. Answers can come from another process, so types do not help. */
export function findUpdateProblem(update: PermissionUpdate): string | undefined {
  const { error } = schema.schema.safeParse(update)
  if (error === undefined) return undefined
  const [issue] = error.issues
  return `Invalid permission update: ${[...(issue?.path ?? []), issue?.message].join(' ')}.`
}
