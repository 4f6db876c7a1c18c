const ENDLESS = [
  /^\/proc\/(?:[^/]+\/)*(?:mem|kmsg|kcore|pagemap|kpage\w+|clear_refs|sysrq-trigger)$/,
  /^\/sys\/kernel\/(?:debug\/)?tracing\/(?:.*\/)?(?:trace_pipe|trace_pipe_raw|snapshot_raw)$/,
  /^\/dev\/(?!shm\/)/,
]

/** Files that look like any other and are memory, a log that waits for its next line, or a device. Wants the real path. */
export function isEndlessFile(realPath: string): boolean {
  return ENDLESS.some((each) => each.test(realPath))
}
