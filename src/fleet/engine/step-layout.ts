/**
 * The layout of steps that this version writes and reads. It changes only when an older version could not continue a run of a
 * newer one; a run is continued only by workers with its layout.
 */
export const STEP_LAYOUT = 1
