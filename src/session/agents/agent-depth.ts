/** How many agents may be above one another: who is this deep starts none. */
export const MAX_AGENT_DEPTH = 3
