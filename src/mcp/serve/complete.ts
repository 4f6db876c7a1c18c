import type { CompleteRequest, CompleteResult } from '@modelcontextprotocol/server'
import { isRecord } from '../../shared/is-record.js'
import { type Behind, metaOf, serversWith } from './behind.js'
import type { PassedPrompts } from './passed-prompts.js'
import type { PassedResources } from './passed-resources.js'

const NOTHING: CompleteResult = { completion: { values: [] } }

/** Has the server complete an argument whose prompt or resource it is. */
export async function complete(
  { ref, ...params }: CompleteRequest['params'],
  passed: { readonly prompts: PassedPrompts; readonly resources: PassedResources; readonly behind: Behind },
  signal: AbortSignal,
): Promise<CompleteResult> {
  const { prompts, resources, behind } = passed
  const prompt = ref.type === 'ref/prompt' ? await prompts.find(ref.name) : undefined
  const server = prompt?.server ?? (ref.type === 'ref/resource' ? await resources.ownerOf(ref.uri) : undefined)
  if (server === undefined || !(await serversWith('completions', behind)).includes(server)) return NOTHING
  const ownRef = prompt === undefined ? ref : { ...ref, name: prompt.entry.name }
  const { _meta, ...rest } = params
  const answer = await server.request('completion/complete', { ...rest, ref: ownRef }, { signal })
  const { completion } = answer.result
  // Its shape is checked before it is sent on.
  return isRecord(completion) ? { completion: completion as CompleteResult['completion'], ...metaOf(answer) } : NOTHING
}
