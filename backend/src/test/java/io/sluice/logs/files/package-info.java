@NullMarked
package io.sluice.logs.files;

import org.jspecify.annotations.NullMarked;
