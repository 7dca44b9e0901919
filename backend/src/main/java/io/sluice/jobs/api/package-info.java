/**
 * Owns OpenPAI's REST API of jobs, in both versions: paths, fields and words as its clients know them. It decides nothing that is not about
 * that form.
 */
@NullMarked
package io.sluice.jobs.api;

import org.jspecify.annotations.NullMarked;
