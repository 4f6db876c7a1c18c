/** Creates a chunk of OpenAI's chat completions. */
export function createChatDelta(delta: unknown, finish_reason?: string): unknown {
  return { id: 'c', model: 'm-1', choices: [{ index: 0, delta, ...(finish_reason && { finish_reason }) }] }
}

/** Creates a tool call delta in a chunk of OpenAI's chat completions. Undefined fields are omitted, as some servers do. */
export function createChatCall(
  index: number | undefined,
  name: string | undefined,
  json: unknown,
  id?: string,
): unknown {
  const functionDelta = { ...(name && { name }), arguments: json }
  return { ...(index !== undefined && { index }), ...(id && { id }), function: functionDelta }
}
