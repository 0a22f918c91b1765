// The one header that the module `CMicroHTTPD` is made of.
#pragma once
#include <sys/socket.h>
#include <microhttpd.h>
