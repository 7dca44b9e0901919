/** Owns what is had of git repositories: the files of one commit. It runs nothing of them, keeps no history, and lands nothing itself. */
@NullMarked
package io.sluice.jobs.data.git;

import org.jspecify.annotations.NullMarked;
