/** Owns what a job leaves behind, on its page and over the API: who may see it, and when it may go. It never opens a file itself. */
@NullMarked
package io.sluice.jobs.output;

import org.jspecify.annotations.NullMarked;
