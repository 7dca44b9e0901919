@NullMarked
package io.sluice.jobs.training;

import org.jspecify.annotations.NullMarked;
