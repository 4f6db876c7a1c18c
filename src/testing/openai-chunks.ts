/** A chunk of a chat, as OpenAI sends it. */
export function chatDelta(delta: unknown, finish_reason?: string): unknown {
  return { id: 'c', model: 'm-1', choices: [{ index: 0, delta, ...(finish_reason && { finish_reason }) }] }
}

/** A piece of a call within such a chunk; what is undefined is left out, as some servers do. */
export function chatCall(index: number | undefined, name: string | undefined, json: unknown, id?: string): unknown {
  const made = { ...(name && { name }), arguments: json }
  return { ...(index !== undefined && { index }), ...(id && { id }), function: made }
}
