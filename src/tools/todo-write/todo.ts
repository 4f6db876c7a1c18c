export interface Todo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
  readonly activeForm: string
}

/** Each agent has a list of its own. */
export function todoKey(agentId: string | undefined): string {
  return agentId === undefined ? 'todo:list' : `todo:list:${agentId}`
}
