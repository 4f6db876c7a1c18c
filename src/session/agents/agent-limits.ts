/** How many agents may be above one another: who is this deep starts none. */
export const MAX_AGENT_DEPTH = 3

/** How often the model of an agent may be asked where its kind does not say. */
export const DEFAULT_MAX_TURNS = 100

/** How many agents of a session may be in the background, those that wait for their turn included. */
export const MAX_BACKGROUND_AGENTS = 100
