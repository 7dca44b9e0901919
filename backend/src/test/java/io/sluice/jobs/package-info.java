@NullMarked
package io.sluice.jobs;

import org.jspecify.annotations.NullMarked;
