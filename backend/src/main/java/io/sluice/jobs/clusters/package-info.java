/**
 * Owns the virtual clusters: their quotas, whether they start anything, and who may submit to them. It never decides what starts: that is
 * placement's, which takes the quotas as they are at every pass.
 */
@NullMarked
package io.sluice.jobs.clusters;

import org.jspecify.annotations.NullMarked;
