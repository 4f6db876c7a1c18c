/** How a hook of any kind ended, before anybody has judged what it said. */
export type HookEnd =
  | { readonly type: 'said'; readonly text: string }
  | { readonly type: 'answered'; readonly json: Readonly<Record<string, unknown>> }
  | { readonly type: 'blocked'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string }
  /** Its time limit or its caller ended it. */
  | { readonly type: 'stopped' }
