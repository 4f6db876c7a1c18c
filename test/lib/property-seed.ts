import fc from 'fast-check'

/** Property tests try the same cases in every run, so that only a change of the code makes them fail. `npm run test:long` tries others. */
if (process.env.HAFT_LONG_TESTS === undefined) fc.configureGlobal({ seed: 20_261_117 })
