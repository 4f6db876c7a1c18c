import { HOOK_EVENTS, isHookEvent } from '../../../hooks/config/hook-events.js'
import type { HookPayload } from '../../../hooks/config/hook-payload.js'
import { UsageError } from '../../io/exit.js'
import { getAnswerSchemas } from '../schema/answer-schemas.js'
import type { InitializeRequest } from '../schema/input-schema.js'
import type { ControlChannel } from './control-channel.js'

type RequestedHooks = NonNullable<InitializeRequest['hooks']>
type HookGroup = NonNullable<RequestedHooks[string]>[number]

/** Converts the hooks of a driving program to function hooks that ask it. Throws for events that Haft does not have. */
export function createProgramHooks(
  requestedHooks: RequestedHooks,
  channel: ControlChannel,
): Readonly<Record<string, readonly unknown[]>> {
  const unknownEvents = Object.keys(requestedHooks).filter((event) => !isHookEvent(event))
  if (unknownEvents.length > 0)
    throw new UsageError(
      `hooks for ${unknownEvents.join(', ')} are not supported, because these events do not exist here. The events are ${HOOK_EVENTS.join(', ')}.`,
    )
  return Object.fromEntries(
    Object.entries(requestedHooks).map(([event, groups]) => [
      event,
      (groups ?? []).map((group) => createGroup(group, channel)),
    ]),
  )
}

function createGroup({ matcher, hookCallbackIds, timeout, onFailure }: HookGroup, channel: ControlChannel) {
  return {
    ...(matcher != null && { matcher }),
    hooks: hookCallbackIds.map((callbackId) => ({
      type: 'function',
      name: `the program's ${callbackId}`,
      ...(timeout != null && { timeout }),
      run: (payload: HookPayload, { signal }: { readonly signal: AbortSignal }) =>
        runCallback(callbackId, payload, { channel, signal, blocksOnFailure: onFailure === 'block' }),
    })),
  }
}

interface CallbackOptions {
  readonly channel: ControlChannel
  readonly signal: AbortSignal
  readonly blocksOnFailure: boolean
}

async function runCallback(
  callbackId: string,
  payload: HookPayload,
  { channel, signal, blocksOnFailure }: CallbackOptions,
): Promise<unknown> {
  const { tool_use_id: toolUseId } = payload as { readonly tool_use_id?: unknown }
  const answer = await channel.request(
    {
      subtype: 'hook_callback',
      callback_id: callbackId,
      input: { ...payload },
      ...(typeof toolUseId === 'string' && { tool_use_id: toolUseId }),
    },
    readHookAnswer,
    signal,
  )
  if (answer.type === 'answered') return answer.value
  if (answer.type === 'cancelled') return undefined
  const message = answer.type === 'failed' ? answer.message : 'the program has closed its input'
  // The hook runner reports other failures and continues.
  if (!blocksOnFailure) throw new Error(message)
  return { decision: 'block', reason: `The hook ${callbackId} failed, and it has to succeed: ${message}` }
}

function readHookAnswer(response: unknown): { readonly value: unknown } | undefined {
  // A callback without an answer has no opinion.
  if (response === undefined || response === null) return { value: undefined }
  const { data } = getAnswerSchemas().hook.safeParse(response)
  return data && { value: data }
}
