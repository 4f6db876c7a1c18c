/** One thing that the doctor looked for. */
export interface Finding {
  readonly name: string
  readonly status: 'found' | 'missing' | 'needed'
  readonly detail: string
}
